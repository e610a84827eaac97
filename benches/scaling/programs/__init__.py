"""The programs, by name, in the order in which they run."""

from .fourier import Fourier
from .jacobi import Jacobi
from .kmeans import KMeans
from .product import Product
from .row_parts import RowParts
from .sample_sort import SampleSort

PROGRAMS = {program.name: program for program in (KMeans, Jacobi, Product, Fourier, SampleSort, RowParts)}
