def brentq(f,a,b,xtol=2e-12,rtol=1e-12,maxiter=100):
    fa=f(a)
    for _ in range(200):
        m=.5*(a+b); fm=f(m)
        if (fm>0)==(fa>0): a,fa=m,fm
        else: b=m
    return m
