"""Options of the whole suite."""


def pytest_addoption(parser):
    parser.addoption(
        "--eager-sample",
        type=int,
        default=0,
        metavar="N",
        help="run N sets of parameters of each test a second time, with every operation launched at once",
    )
