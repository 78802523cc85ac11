/* Exact rational arithmetic for reference results: vectors, and intervals cut by linear constraints. */
#pragma once
#include <gmp.h>

typedef struct {
  mpq_t x[3];
} Rational3;

static inline void RationalInit(int n, Rational3 v[])
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) mpq_init(v[i].x[k]);
  }
}

static inline void RationalClear(int n, Rational3 v[])
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) mpq_clear(v[i].x[k]);
  }
}

/* c = a - b of doubles, dim <= 3 coordinates, the rest 0 */
static inline void RationalDifference(int dim, const double a[], const double b[], Rational3 *c)
{
  mpq_t t;

  mpq_init(t);
  for (int k = 0; k < 3; k++) {
    mpq_set_d(c->x[k], k < dim ? a[k] : 0);
    mpq_set_d(t, k < dim ? b[k] : 0);
    mpq_sub(c->x[k], c->x[k], t);
  }
  mpq_clear(t);
}

static inline void RationalDot(const Rational3 *a, const Rational3 *b, mpq_t dot)
{
  mpq_t t, sum;

  mpq_inits(t, sum, NULL);
  for (int k = 0; k < 3; k++) {
    mpq_mul(t, a->x[k], b->x[k]);
    mpq_add(sum, sum, t);
  }
  mpq_set(dot, sum);
  mpq_clears(t, sum, NULL);
}

static inline void RationalCross(const Rational3 *a, const Rational3 *b, Rational3 *c)
{
  mpq_t t;

  mpq_init(t);
  for (int k = 0; k < 3; k++) {
    mpq_mul(c->x[k], a->x[(k + 1) % 3], b->x[(k + 2) % 3]);
    mpq_mul(t, a->x[(k + 2) % 3], b->x[(k + 1) % 3]);
    mpq_sub(c->x[k], c->x[k], t);
  }
  mpq_clear(t);
}

static inline int RationalIsZero(const Rational3 *a)
{
  return !mpq_sgn(a->x[0]) && !mpq_sgn(a->x[1]) && !mpq_sgn(a->x[2]);
}

/* A closed interval of a real parameter. */
typedef struct {
  mpq_t lo, hi;
  int   empty;
} RationalInterval;

/* Keeps the part where alpha + beta s >= 0. */
static inline void RationalCut(RationalInterval *s, const mpq_t alpha, const mpq_t beta)
{
  const int slope = mpq_sgn(beta);
  mpq_t     root;

  if (!slope) {
    s->empty |= mpq_sgn(alpha) < 0;
    return;
  }
  mpq_init(root);
  mpq_div(root, alpha, beta);
  mpq_neg(root, root);
  if (slope > 0 && mpq_cmp(root, s->lo) > 0) mpq_set(s->lo, root);
  if (slope < 0 && mpq_cmp(root, s->hi) < 0) mpq_set(s->hi, root);
  s->empty |= mpq_cmp(s->lo, s->hi) > 0;
  mpq_clear(root);
}

/* Keeps the part where n . (r + s d) >= 0; if `both`, where it is 0. */
static inline void RationalCutPlane(RationalInterval *s, const Rational3 *n, const Rational3 *r, const Rational3 *d, int both)
{
  mpq_t alpha, beta;

  mpq_inits(alpha, beta, NULL);
  RationalDot(n, r, alpha);
  RationalDot(n, d, beta);
  RationalCut(s, alpha, beta);
  if (both) {
    mpq_neg(alpha, alpha);
    mpq_neg(beta, beta);
    RationalCut(s, alpha, beta);
  }
  mpq_clears(alpha, beta, NULL);
}
