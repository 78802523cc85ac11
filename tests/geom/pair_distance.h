/* Reference distance of a pair at x + t dx in extended precision, minimum over all features; used by the CCD tests. */
#pragma once
#include <abut/geom.h>
#include <float.h>
#include <math.h>

typedef long double Wide;
#if LDBL_MANT_DIG >= 113
typedef long double Widest;
#else
typedef __float128 Widest;
#endif

static inline Wide WideDot(const Wide a[3], const Wide b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void WideSub(const Wide a[3], const Wide b[3], Wide c[3])
{
  for (int k = 0; k < 3; k++) c[k] = a[k] - b[k];
}

static inline Wide WideClamp(Wide s)
{
  return s > 0 ? (s < 1 ? s : 1) : 0;
}

static inline Wide WidePointSegment(const Wide p[3], const Wide a[3], const Wide b[3])
{
  Wide e[3], r[3];

  WideSub(b, a, e);
  WideSub(p, a, r);
  const Wide ee = WideDot(e, e), s = ee > 0 ? WideClamp(WideDot(r, e) / ee) : 0;
  for (int k = 0; k < 3; k++) r[k] -= s * e[k];
  return sqrtl(WideDot(r, r));
}

/* WideInterior() with more digits, for e and f so nearly parallel that extended precision does not find the stationary point. */
static inline Wide WidestInterior(const Wide r[3], const Wide e[3], const Wide f[3], int triangle)
{
  Widest ee = 0, ef = 0, ff = 0, re = 0, rf = 0, ww = 0;

  for (int k = 0; k < 3; k++) {
    ee += (Widest)e[k] * e[k];
    ef += (Widest)e[k] * f[k];
    ff += (Widest)f[k] * f[k];
    re += (Widest)r[k] * e[k];
    rf += (Widest)r[k] * f[k];
  }
  const Widest det = ee * ff - ef * ef, u = (re * ff - rf * ef) / det, v = (rf * ee - re * ef) / det;
  if (!(det > 0 && u >= 0 && v >= 0 && (triangle ? u + v <= 1 : u <= 1 && v <= 1))) return INFINITY;
  for (int k = 0; k < 3; k++) {
    const Widest w = r[k] - u * e[k] - v * f[k];
    ww += w * w;
  }
  return sqrtl((Wide)ww);
}

/* |r - u e - v f| at the stationary (u, v), INFINITY if that is outside of the square (triangle: half) or undefined */
static inline Wide WideInterior(const Wide r[3], const Wide e[3], const Wide f[3], int triangle)
{
  const Wide ee = WideDot(e, e), ef = WideDot(e, f), ff = WideDot(f, f), re = WideDot(r, e), rf = WideDot(r, f), det = ee * ff - ef * ef;
  const Wide u = (re * ff - rf * ef) / det, v = (rf * ee - re * ef) / det;
  Wide       w[3];

  if (!(det > 1e-6L * ee * ff)) return WidestInterior(r, e, f, triangle);
  if (!(u >= 0 && v >= 0 && (triangle ? u + v <= 1 : u <= 1 && v <= 1))) return INFINITY;
  for (int k = 0; k < 3; k++) w[k] = r[k] - u * e[k] - v * f[k];
  return sqrtl(WideDot(w, w));
}

static inline Wide WidePairDistance(AbutPairKind kind, PetscInt dim, const PetscReal x[], const PetscReal dx[], Wide t)
{
  static const int n[]     = {2, 3, 4, 4};
  Wide             p[4][3] = {{0}}, r[3], e[3], f[3], d = INFINITY;

  for (int i = 0; i < n[kind]; i++) {
    for (PetscInt k = 0; k < dim; k++) p[i][k] = x[dim * i + k] + t * dx[dim * i + k];
  }
  switch (kind) {
  case ABUT_PAIR_VV: return WidePointSegment(p[0], p[1], p[1]);
  case ABUT_PAIR_EV: return WidePointSegment(p[0], p[1], p[2]);
  case ABUT_PAIR_FV:
    for (int i = 0; i < 3; i++) d = fminl(d, WidePointSegment(p[0], p[1 + i], p[1 + (i + 1) % 3]));
    WideSub(p[0], p[1], r);
    WideSub(p[2], p[1], e);
    WideSub(p[3], p[1], f);
    return fminl(d, WideInterior(r, e, f, 1));
  case ABUT_PAIR_EE:
    for (int i = 0; i < 2; i++) d = fminl(d, fminl(WidePointSegment(p[i], p[2], p[3]), WidePointSegment(p[2 + i], p[0], p[1])));
    WideSub(p[0], p[2], r);
    WideSub(p[0], p[1], e);
    WideSub(p[3], p[2], f);
    return fminl(d, WideInterior(r, e, f, 0));
  }
  return d;
}
