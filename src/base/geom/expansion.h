/*
  expansion.h: numbers as unevaluated sums of doubles, in exact arithmetic [Shewchuk 1997].

  An expansion is an array of nonzero, nonoverlapping components in order of increasing magnitude. The number 0 has no component. The sign
  of the last component is the sign of the number. All operations are exact if no product under- or overflows. They need round-to-even
  and no fused multiply-add (the build sets -ffp-contract=off).
*/
#pragma once
#include <math.h>

/* Returns the rounded sum of a and b and its error: a + b = sum + error exactly, for any magnitudes. */
static inline double ExpansionTwoSum(double a, double b, double *error)
{
  const double sum = a + b, bv = sum - a, av = sum - bv;

  *error = (a - av) + (b - bv);
  return sum;
}

/* ExpansionTwoSum() with fewer operations, valid if |a| >= |b|. */
static inline double ExpansionFastTwoSum(double a, double b, double *error)
{
  const double sum = a + b;

  *error = b - (sum - a);
  return sum;
}

/* Returns the rounded product of a and b and its error: a b = product + error exactly. */
static inline double ExpansionTwoProduct(double a, double b, double *error)
{
  const double product = a * b;

  *error = fma(a, b, -product);
  return product;
}

/* e[0, 2) = a - b; returns the length. */
static inline int ExpansionDifference(double a, double b, double e[2])
{
  int          n = 0;
  double       error;
  const double high = ExpansionTwoSum(a, -b, &error);

  if (error != 0) e[n++] = error;
  if (high != 0) e[n++] = high;
  return n;
}

/* h[0, ne + nf) = e + f by merging and one carrying pass; h must not alias e or f; returns the length. */
static inline int ExpansionAdd(int ne, const double e[], int nf, const double f[], double h[])
{
  int    i = 0, j = 0, n = 0;
  double carry = 0, error;

  for (int k = 0; k < ne + nf; k++) {
    const double next = j == nf || (i < ne && fabs(e[i]) < fabs(f[j])) ? e[i++] : f[j++];

    carry = ExpansionTwoSum(carry, next, &error);
    if (error != 0) h[n++] = error;
  }
  if (carry != 0) h[n++] = carry;
  return n;
}

/* h[0, 2 ne) = b e; returns the length. */
static inline int ExpansionScale(int ne, const double e[], double b, double h[])
{
  int    n     = 0;
  double carry = 0, error, low;

  for (int i = 0; i < ne; i++) {
    const double high = ExpansionTwoProduct(e[i], b, &low);

    carry = ExpansionTwoSum(carry, low, &error);
    if (error != 0) h[n++] = error;
    carry = i ? ExpansionFastTwoSum(high, carry, &error) : ExpansionTwoSum(high, carry, &error);
    if (error != 0) h[n++] = error;
  }
  if (carry != 0) h[n++] = carry;
  return n;
}

/* h[0, 4 ne) = e (f[0] + f[1]), nf <= 2; work[0, 4 ne) is overwritten; returns the length. */
static inline int ExpansionMultiply2(int ne, const double e[], int nf, const double f[], double work[], double h[])
{
  if (nf == 0) return 0;
  if (nf == 1) return ExpansionScale(ne, e, f[0], h);
  const int low  = ExpansionScale(ne, e, f[0], work);
  const int high = ExpansionScale(ne, e, f[1], work + 2 * ne);
  return ExpansionAdd(low, work, high, work + 2 * ne, h);
}

static inline int ExpansionSign(int n, const double e[])
{
  return n == 0 ? 0 : (e[n - 1] > 0 ? 1 : -1);
}
