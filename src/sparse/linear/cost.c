/*
  Predicted work and memory of the linear solvers. Work of a Newton iteration on the busiest rank:

    direct     m (F / d + ASSEMBLY L / s) + n (k L + E) / s + q PATTERN_DIRECT E / s + ANALYSIS G / (ANALYSIS_SERVES s)
    schwarz    m (F / d + ASSEMBLY L / s) + n (k L + E) / s + q PATTERN_SCHWARZ E / s
    multigrid  m (SETUP E / s + C / d) + n ITERATION E / s

  m: set-ups, n: iterations, q: new patterns of the matrix in a Newton iteration: averages until they are counted in the run;
  F: operations of a factorisation, L: entries of the factor, of the whole matrix or of a subdomain, both divided by SINGLE_SPEED in single
  precision; E: entries of the matrix, G: entries of the vertex graph of all ranks; C: operations of a factorisation of the coarsest level;
  d: rate of dense operations, s: rate of products of sparse matrix and vector, k: time of an entry of L in a solution over that of a matrix
  entry in a product. A lagged factor serves several Newton iterations. The constants are measured: docs/linear_solvers.md.
*/
#include "cost.h"

#define FACTORISATIONS    0.6  /* of a Newton iteration, average: lagged factors serve the others */
#define APPLICATIONS      4.5  /* of a factor in a Newton iteration, average */
#define ASSEMBLY          7.0  /* of an entry of L in a factorisation, in matrix entries */
#define FACTOR_ENTRY      1.4  /* solution with an entry of L in double precision, in matrix entries */
#define SINGLE_SPEED      2.0  /* single precision over double precision: operations and entries of L */
#define SETUPS_LEAST      0.2  /* least ratio of set-ups that the counts of another solver imply: none at all would be no prediction */
#define SETUP             46.0 /* multigrid: set-up, in products with the matrix; new patterns, which take longer, are in this average */
#define ITERATION         15.0 /* multigrid: iteration of conjugate gradients, in products with the matrix */
#define SETUPS            0.9  /* multigrid: in a Newton iteration, average */
#define ITERATIONS        7.5  /* multigrid: in a Newton iteration, average */
#define COARSE_OPERATIONS 120  /* factorisation of the coarsest level over the square of its unknowns */
#define SCHWARZ           8.5  /* Schwarz: iterations on P ranks, average: SCHWARZ P^SCHWARZ_GROWTH */
#define SCHWARZ_GROWTH    0.25
#define PATTERN_DIRECT    350. /* symbolic factorisation of a new pattern, in products with the matrix */
#define PATTERN_SCHWARZ   400. /* subdomains of a new pattern and their symbolic factorisation, in products with the matrix */
#define PATTERNS          0.2  /* new patterns in a Newton iteration, average */
#define ANALYSIS          450. /* nested dissection of an entry of the vertex graph on one rank, in matrix entries */
#define ANALYSIS_SERVES   20.  /* Newton iterations */
#define ANALYSIS_BYTES    40.  /* for an entry of the vertex graph */
#define HIERARCHY_BYTES   60.  /* multigrid: for a matrix entry */
#define KEEP              0.9  /* another solver replaces the current one if its work is less than this fraction */

#define RATE "Automatic choice: rate of a factorisation in double precision on a rank"
#define MOST "Automatic choice: largest predicted memory of a linear solver on a rank, if one has less"

static const AbutOption options[] = {
  {"-abut_rate_dense", ABUT_OPTION_REAL, offsetof(CostModel, dense), 32, 1e-3, 1e6, "Gflop/s", RATE},
  {"-abut_linear_memory", ABUT_OPTION_REAL, offsetof(CostModel, memory), 4000, 0, PETSC_MAX_REAL, "MB", MOST}};
const AbutOptionTable AbutCostOptions = {"Prediction of work and memory", PETSC_STATIC_ARRAY_LENGTH(options), options};

/* Seconds of products with `entries` matrix entries. */
static PetscReal Sparse(const CostModel *m, PetscReal entries)
{
  return entries / (1e9 * m->sparse);
}

static PetscReal Dense(const CostModel *m, PetscReal flops)
{
  return flops / (1e9 * m->dense);
}

/* Counts in single precision as counts of double precision that take as long. */
static AbutFactorCounts InDouble(const CostCounts *c, const AbutFactorCounts *f)
{
  const PetscReal speed = c->single ? SINGLE_SPEED : 1;

  return (AbutFactorCounts){f->flops / speed, f->entries / speed, f->bytes};
}

static PetscReal Factorise(const CostModel *m, const AbutFactorCounts *f)
{
  return Dense(m, f->flops) + Sparse(m, ASSEMBLY * f->entries);
}

/* Solution with a factor and product with the matrix. */
static PetscReal Apply(const CostModel *m, const AbutFactorCounts *f, PetscReal entries)
{
  return Sparse(m, FACTOR_ENTRY * f->entries + entries);
}

/* Uses of a solver in a Newton iteration before any are counted: averages of the scenes of docs/linear_solvers.md. */
static CostUse Average(const CostCounts *c, AbutLinearKind kind)
{
  if (kind == ABUT_LINEAR_DIRECT) return (CostUse){FACTORISATIONS, APPLICATIONS};
  if (kind == ABUT_LINEAR_SCHWARZ) return (CostUse){1, SCHWARZ * PetscPowReal(c->size, SCHWARZ_GROWTH)};
  return (CostUse){SETUPS, ITERATIONS};
}

CostUse CostGetUse(const CostCounts *c, AbutLinearKind kind)
{
  CostUse use = Average(c, kind);

  if (c->use[kind].iterations > 0) return c->use[kind];
  if (c->setups_ratio > 0) use.setups = PetscMin(1, use.setups * c->setups_ratio);
  return use;
}

void CostSetUse(CostCounts *c, AbutLinearKind kind, CostUse use)
{
  c->use[kind]    = use;
  c->setups_ratio = PetscMax(use.setups / Average(c, kind).setups, SETUPS_LEAST);
}

PetscBool CostIsCounted(const CostCounts *c)
{
  return (PetscBool)(c->setups_ratio > 0);
}

PetscReal CostGetPatterns(const CostCounts *c)
{
  return CostIsCounted(c) ? c->patterns : PATTERNS;
}

/* New patterns of a Newton iteration, each of which takes as long as some products with the matrix. */
static PetscReal Patterns(const CostModel *m, const CostCounts *c, PetscReal products)
{
  return Sparse(m, CostGetPatterns(c) * products * c->entries);
}

/* Set-ups and solutions of a Newton iteration with a factor. */
static PetscReal UseFactor(const CostModel *m, const CostCounts *c, const AbutFactorCounts *f, CostUse use)
{
  return use.setups * Factorise(m, f) + use.iterations * Apply(m, f, c->entries);
}

static Cost Direct(const CostModel *m, const CostCounts *c)
{
  const AbutFactorCounts f        = InDouble(c, &c->factor);
  const Cost             analysis = CostOfAnalysis(m, c);

  if (!(f.flops > 0)) return (Cost){-1, 0};
  return (Cost){analysis.seconds + Patterns(m, c, PATTERN_DIRECT) + UseFactor(m, c, &f, CostGetUse(c, ABUT_LINEAR_DIRECT)),
                PetscMax(f.bytes, analysis.bytes)};
}

static Cost Schwarz(const CostModel *m, const CostCounts *c)
{
  const AbutFactorCounts f = InDouble(c, &c->local);

  if (!(f.flops > 0)) return (Cost){-1, 0};
  return (Cost){Patterns(m, c, PATTERN_SCHWARZ) + UseFactor(m, c, &f, CostGetUse(c, ABUT_LINEAR_SCHWARZ)), f.bytes};
}

static Cost Multigrid(const CostModel *m, const CostCounts *c)
{
  const PetscReal ratio  = PetscMin((PetscReal)c->modes / ((PetscReal)c->bs * (PetscReal)c->coarsen), 0.5);
  const CostUse   use    = CostGetUse(c, ABUT_LINEAR_MULTIGRID);
  PetscReal       coarse = c->unknowns * ratio, setup;

  while (coarse > (PetscReal)c->coarsest) coarse *= ratio;
  setup = Sparse(m, SETUP * c->entries) + Dense(m, COARSE_OPERATIONS * coarse * coarse / c->size);
  return (Cost){use.setups * setup + use.iterations * Sparse(m, ITERATION * c->entries), HIERARCHY_BYTES * c->entries};
}

Cost CostOfAnalysis(const CostModel *m, const CostCounts *c)
{
  const PetscReal graph = c->total / (PetscReal)(c->bs * c->bs);

  return (Cost){Sparse(m, ANALYSIS / ANALYSIS_SERVES * graph), ANALYSIS_BYTES * graph};
}

Cost CostPredict(const CostModel *m, const CostCounts *c, AbutLinearKind kind)
{
  if (kind == ABUT_LINEAR_DIRECT) return Direct(m, c);
  if (kind == ABUT_LINEAR_SCHWARZ) return Schwarz(m, c);
  return Multigrid(m, c);
}

/* Work for a comparison with the current solver, if there is one. */
static PetscReal Compared(const Cost cost[], AbutLinearKind current, AbutLinearKind k)
{
  return cost[k].seconds / (current != ABUT_LINEAR_AUTO && k != current ? KEEP : 1);
}

AbutLinearKind CostChoose(const CostModel *m, const Cost cost[], AbutLinearKind current)
{
  AbutLinearKind best = ABUT_LINEAR_MULTIGRID;

  for (AbutLinearKind k = ABUT_LINEAR_DIRECT; k < ABUT_LINEAR_MULTIGRID; k++) {
    const PetscReal excess = PetscMax(cost[k].bytes - 1e6 * m->memory, 0), least = PetscMax(cost[best].bytes - 1e6 * m->memory, 0);
    if (cost[k].seconds < 0 || excess > least) continue;
    if (excess < least || Compared(cost, current, k) < Compared(cost, current, best)) best = k;
  }
  return best;
}
