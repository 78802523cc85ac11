/*
  Multifrontal factorisation with a border of several block columns: the Schur complement equals a dense elimination, in both precisions.
  Triangular solutions with dense columns equal loops over their entries, for all remainders of strips and vectors.
  Update matrices that exist at the same time have separate places, in arrays of bounded length.
*/
#include "test.h"
#include "fronts.h"

enum { N = 120, BORDER = 75, ALL = N + BORDER, BS = 3, SUPERNODES = 400, CHUNK = 2097152 };

static const PetscInt rows_of_matrix = ALL * BS;

/* A matrix of random blocks: dense values [(ALL * BS)^2]; coupled: [ALL^2] which blocks are not zero. Positive definite. */
static void FillMatrix(PetscReal dense[], PetscBool coupled[])
{
  const PetscInt m    = rows_of_matrix;
  uint64_t       seed = 5;

  AbutTestCall(PetscArrayzero(dense, m * m));
  for (PetscInt v = 0; v < ALL; v++)
    for (PetscInt w = 0; w <= v; w++) {
      const PetscBool near = (PetscBool)(v - w < 3 || AbutTestRandom(&seed) > 0.9);
      coupled[v * ALL + w] = coupled[w * ALL + v] = near;
      for (PetscInt i = v * BS; i < (v + 1) * BS && near; i++)
        for (PetscInt j = w * BS; j < (w + 1) * BS; j++) dense[i * m + j] = dense[j * m + i] = AbutTestRandom(&seed);
    }
  for (PetscInt i = 0; i < m; i++) {
    PetscReal sum = 1;
    for (PetscInt j = 0; j < m; j++) sum += j == i ? 0 : PetscAbsReal(dense[i * m + j]);
    dense[i * m + i] = sum / 2; /* positive definite: random signs */
  }
}

/* The rows of the interior in CSR. */
static void FillRows(const PetscReal dense[], const PetscBool coupled[], PetscInt ia[], PetscInt ja[], PetscScalar values[])
{
  PetscInt count = 0;

  ia[0] = 0;
  for (PetscInt i = 0; i < N * BS; i++) {
    for (PetscInt j = 0; j < ALL * BS; j++)
      if (coupled[i / BS * ALL + j / BS]) {
        ja[count]       = j;
        values[count++] = dense[i * rows_of_matrix + j];
      }
    ia[i + 1] = count;
  }
}

/* Eliminates the interior in place: the border block becomes A_BB - A_BI A_II^-1 A_IB. */
static void EliminateDense(PetscReal dense[])
{
  const PetscInt m = rows_of_matrix;

  for (PetscInt k = 0; k < N * BS; k++)
    for (PetscInt i = k + 1; i < m; i++) {
      const PetscReal factor = dense[i * m + k] / dense[k * m + k];
      for (PetscInt j = k + 1; j < m; j++) dense[i * m + j] -= factor * dense[k * m + j];
    }
}

/* Adds to block columns with value 1 everywhere, which are returned as a lower triangle [(BORDER * BS)^2]. */
static void Factor(Fronts *f, const FrontRows *rows, PetscBool single, PetscReal schur[])
{
  const PetscInt width = FrontsWidth(BORDER), num = FrontsNumBlocks(BORDER), m = BORDER * BS;
  void          *block[BORDER];
  FrontsPivot    failed;

  for (PetscInt b = 0; b < num; b++) {
    const PetscInt entries = (m - b * width * BS) * width * BS;
    AbutTestCall(PetscMalloc(sizeof(PetscScalar) * (size_t)entries, &block[b]));
    for (PetscInt i = 0; i < entries; i++)
      if (single)
        ((float *)block[b])[i] = 1;
      else
        ((PetscScalar *)block[b])[i] = 1;
  }
  AbutTestCall(FrontsRelease(f));
  AbutTestCall((single ? FrontsFactorSingle : FrontsFactor)(f, 1, rows, block, &failed));
  assert_true(failed.column < 0);
  for (PetscInt j = 0; j < m; j++)
    for (PetscInt i = j; i < m; i++) {
      const PetscInt b = j / (width * BS), top = b * width * BS, at = (j - top) * (m - top) + i - top;
      schur[i * m + j] = single ? ((float *)block[b])[at] : ((PetscScalar *)block[b])[at];
    }
  for (PetscInt b = 0; b < num; b++) AbutTestCall(PetscFree(block[b]));
}

static void CheckSchur(const PetscReal before[], const PetscReal after[], const PetscReal schur[], PetscReal tolerance)
{
  const PetscInt m = BORDER * BS, skip = N * BS;

  for (PetscInt j = 0; j < m; j++)
    for (PetscInt i = j; i < m; i++) {
      const PetscInt  at    = (skip + i) * rows_of_matrix + skip + j;
      const PetscReal exact = 1 + after[at] - before[at];
      assert_true(PetscAbsReal(schur[i * m + j] - exact) <= tolerance * (1 + PetscAbsReal(exact)));
    }
}

/* The block columns of the Schur complement equal the dense elimination. */
static void TestSchurComplement(void **state)
{
  const PetscInt m = rows_of_matrix;
  PetscReal     *before, *after, *schur;
  PetscBool     *coupled;
  PetscInt      *ia, *ja, number[ALL], several = 0;
  PetscScalar   *values;
  FrontRows      rows;
  Fronts        *f;

  (void)state;
  AbutTestCall(PetscMalloc4(m * m, &before, m * m, &after, BORDER * BORDER * BS * BS, &schur, ALL * ALL, &coupled));
  AbutTestCall(PetscMalloc3(m + 1, &ia, m * m, &ja, m * m, &values));
  FillMatrix(before, coupled);
  FillRows(before, coupled, ia, ja, values);
  AbutTestCall(PetscArraycpy(after, before, m * m));
  EliminateDense(after);
  for (PetscInt v = 0; v < ALL; v++) number[v] = v;
  rows = (FrontRows){ia, ja, values, number};
  AbutTestCall(FrontsCreate(BS, N, BORDER, number, 1, &rows, PETSC_TRUE, &f));
  for (PetscInt s = 0; s < f->num; s++) several += f->parent[s] >= 0 && f->update[s + 1] > f->update[s] + 1;
  assert_true(several > 3 && FrontsNumBlocks(BORDER) > 2);
  Factor(f, &rows, PETSC_FALSE, schur);
  CheckSchur(before, after, schur, 1e-11); /* condition below 1e3 */
  Factor(f, &rows, PETSC_TRUE, schur);
  CheckSchur(before, after, schur, 1e-3);
  AbutTestCall(FrontsDestroy(&f));
  AbutTestCall(PetscFree4(before, after, schur, coupled));
  AbutTestCall(PetscFree3(ia, ja, values));
}

/* A tree in postorder with random numbers of rows. */
static void FillTree(uint64_t *seed, PetscInt most, PetscInt parent[], PetscInt start[])
{
  PetscInt roots[SUPERNODES], num = 0; /* of the trees so far */

  start[0] = 0;
  for (PetscInt s = 0; s < SUPERNODES; s++) {
    const PetscReal fraction = AbutTestRandom(seed);
    PetscInt        children = AbutTestRandom(seed) > 0 ? (PetscInt)(2 + 2 * AbutTestRandom(seed)) : 0;
    start[s + 1]             = start[s] + 1 + (PetscInt)((PetscReal)most * fraction * fraction);
    for (; children > 0 && num > 0; children--) parent[roots[--num]] = s;
    parent[s]    = -1;
    roots[num++] = s;
  }
}

/* Entries of block column b of the update matrix of a supernode. */
static PetscInt BlockEntries(const Fronts *f, PetscInt s, PetscInt b)
{
  const PetscInt below = f->start[s + 1] - f->start[s], width = FrontsWidth(below), begin = b * width;

  return PetscMin(width, below - begin) * (below - begin) * f->bs * f->bs;
}

/* Whether two block columns share a number. */
static PetscBool Overlap(const Fronts *f, PetscInt s, PetscInt b, PetscInt t, PetscInt c)
{
  const FrontsPlace p = f->place[f->update[s] + b], q = f->place[f->update[t] + c];

  return (PetscBool)(p.chunk == q.chunk && p.offset < q.offset + BlockEntries(f, t, c) && q.offset < p.offset + BlockEntries(f, s, b));
}

/* Checks the update matrix of s against all that exist when it is computed: earlier supernodes with the parent s or a later one. */
static void CheckPlaces(const Fronts *f, PetscInt s)
{
  for (PetscInt b = 0; b < f->update[s + 1] - f->update[s]; b++) {
    const FrontsPlace p = f->place[f->update[s] + b];
    assert_true(p.offset >= 0 && p.offset + BlockEntries(f, s, b) <= f->chunk_size[p.chunk]);
    for (PetscInt t = 0; t < s; t++)
      for (PetscInt c = 0; f->parent[t] >= s && c < f->update[t + 1] - f->update[t]; c++) assert_false(Overlap(f, s, b, t, c));
    for (PetscInt c = 0; f->parent[s] >= 0 && c < b; c++) assert_false(Overlap(f, s, b, s, c));
  }
}

/* Largest number of entries of update matrices that exist at the same time. */
static PetscReal PeakEntries(const Fronts *f)
{
  PetscReal peak = 0;

  for (PetscInt s = 0; s < f->num; s++) {
    PetscReal sum = 0;
    for (PetscInt t = 0; t <= s; t++)
      for (PetscInt b = 0; f->parent[t] >= s && b < f->update[t + 1] - f->update[t]; b++) sum += BlockEntries(f, t, b);
    peak = PetscMax(peak, sum);
  }
  return peak;
}

static void TestPlaces(void **state)
{
  uint64_t seed = 9;

  (void)state;
  for (PetscInt most = 10; most < 3000; most *= 6) {
    PetscInt  parent[SUPERNODES], start[SUPERNODES + 1], longest = CHUNK;
    size_t    panel[SUPERNODES + 1] = {0};
    Fronts    f                     = {.bs = BS, .num = SUPERNODES, .parent = parent, .start = start, .panel = panel};
    PetscReal all, largest, sum = 0;

    FillTree(&seed, most, parent, start);
    AbutTestCall(FrontsPlaceUpdates(&f));
    for (PetscInt s = 0; s < f.num; s++) CheckPlaces(&f, s);
    for (PetscInt s = 0; s < f.num; s++) longest = PetscMax(longest, BlockEntries(&f, s, 0));
    for (PetscInt c = 0; c < f.num_chunks; c++) sum += (PetscReal)f.chunk_size[c];
    FrontsCountEntries(&f, &all, &largest);
    assert_true(all == sum && largest <= (PetscReal)longest);
    assert_true(all <= 2 * PeakEntries(&f) + CHUNK); /* of two stacks; ends of chunks are not used */
    if (most > 2000) assert_true(f.num_chunks > 6);
    AbutTestCall(PetscFree2(f.update, f.place));
    AbutTestCall(PetscFree(f.chunk_size));
    AbutTestCall(PetscFree(f.chunk));
  }
}

/* Largest error of triangular solutions with k columns of leading dimension ld, for a random right-hand side. */
static PetscReal SolveError(PetscInt k, PetscInt ld, PetscBool upper, PetscBool single)
{
  PetscScalar L[20 * 40], w[40], expected[40];
  float       L_single[20 * 40], w_single[40];
  uint64_t    seed  = 3;
  PetscReal   error = 0;

  for (PetscInt i = 0; i < k * ld; i++)
    L_single[i] = (float)(L[i] = (PetscScalar)(float)(AbutTestRandom(&seed) + (i % (ld + 1) == 0 ? 4 : 0)));
  for (PetscInt i = 0; i < ld; i++) w_single[i] = (float)(w[i] = expected[i] = (PetscScalar)(float)AbutTestRandom(&seed));
  for (PetscInt step = 0; step < k; step++) {
    const PetscInt j = upper ? k - 1 - step : step;
    for (PetscInt i = j + 1; i < ld && upper; i++) expected[j] -= L[j * ld + i] * expected[i];
    expected[j] /= L[j * ld + j];
    for (PetscInt i = j + 1; i < ld && !upper; i++) expected[i] -= L[j * ld + i] * expected[j];
  }
  if (single)
    (upper ? FrontsSolveUpperSingle : FrontsSolveLowerSingle)(k, ld, L_single, w_single);
  else
    (upper ? FrontsSolveUpper : FrontsSolveLower)(k, ld, L, w);
  for (PetscInt i = 0; i < ld; i++) error = PetscMax(error, PetscAbsScalar((single ? w_single[i] : w[i]) - expected[i]));
  return error;
}

static void TestTriangles(void **state)
{
  (void)state;
  for (PetscInt k = 0; k <= 13; k++)
    for (PetscInt below = 0; below <= 20; below++)
      for (int upper = 0; upper < 2; upper++) {
        assert_true(SolveError(k, k + below, (PetscBool)upper, PETSC_FALSE) < 1e-13);
        assert_true(SolveError(k, k + below, (PetscBool)upper, PETSC_TRUE) < 1e-4);
      }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestSchurComplement), cmocka_unit_test(TestTriangles), cmocka_unit_test(TestPlaces)};
  return AbutTestMain(argc, argv, tests);
}
