class FitDataError(ValueError): pass
