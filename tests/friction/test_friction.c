/* Friction over a mesh: independent of the number of ranks, reproducible; derivatives along the line; majorizers. */
#include "../potential/friction_scene.h"

/* Returns the projected Hessian at x + t p times a noise vector, ordered by vertex id. The caller frees the result. */
static PetscReal *HessianTimesNoise(const FrictionStage *s, PetscReal t)
{
  PetscReal      *noise = malloc(sizeof(*noise) * (size_t)(s->m->num_owned * s->dim + 1)), *all;
  AbutStencilList stencils;
  AbutAssembler   as;

  for (PetscInt i = 0; i < s->m->num_owned * s->dim; i++) noise[i] = Noise(s->m->vertex_id[i / s->dim], i % s->dim, 3);
  AbutFrictionGetPattern(s->friction, &stencils);
  as = HessianBegin(s->comm, s->m, &stencils, NULL);
  AbutTestCall(AbutFrictionAddHessian(s->friction, t, 0.5, ABUT_PSD_CLAMP, as));
  all = HessianTimes(s->comm, s->m, &as, noise);
  free(noise);
  return all;
}

/* Compares relative to the largest entry. Sums of tens of terms differ by round-off, because their order differs. */
static void SameNumbers(const char what[], PetscInt n, const PetscReal a[], const PetscReal b[])
{
  PetscReal size = 0;

  for (PetscInt i = 0; i < n; i++) size = PetscMax(size, PetscAbsReal(b[i]));
  assert_true(size > 1e-3);
  for (PetscInt i = 0; i < n; i++) {
    if (!(PetscAbsReal(a[i] - b[i]) <= 1e-12 * size))
      fail_msg("%s: entry %ld is %.17g, on one rank %.17g", what, (long)i, (double)a[i], (double)b[i]);
  }
}

/* Slips and stick states of the vertices; they are 0 exactly where no contact with friction is. */
static void SameSlips(const FrictionStage *one, const FrictionStage *all)
{
  const FrictionStage *const stages[] = {one, all};
  PetscReal                 *by_id[2][2];

  for (int k = 0; k < 2; k++) {
    const AbutMeshLocal *m = stages[k]->m;
    PetscReal *slip = calloc((size_t)(m->num_owned + 1), sizeof(*slip)), *stick = calloc((size_t)(m->num_owned + 1), sizeof(*stick));
    AbutTestCall(AbutFrictionGetVertexSlips(stages[k]->friction, 0.4, slip, stick));
    for (PetscInt v = 0; v < m->num_owned; v++) {
      assert_true((stick[v] == ABUT_STICK_OPEN) == (slip[v] == 0) && slip[v] >= 0);
      assert_true(slip[v] == 0 || (stick[v] == ABUT_STICK_STICKS) == (slip[v] < stages[k]->threshold));
    }
    for (int f = 0; f < 2; f++) {
      by_id[k][f] = calloc((size_t)m->num_global, sizeof(PetscReal));
      for (PetscInt v = 0; v < m->num_owned; v++) by_id[k][f][m->vertex_id[v]] = f ? stick[v] : slip[v];
      MPI_Allreduce(MPI_IN_PLACE, by_id[k][f], (PetscMPIInt)m->num_global, MPIU_REAL, MPIU_SUM, stages[k]->comm);
    }
    free(slip), free(stick);
  }
  for (int f = 0; f < 2; f++) SameNumbers(f ? "stick state" : "slip", one->m->num_global, by_id[1][f], by_id[0][f]);
  for (int k = 0; k < 4; k++) free(by_id[k / 2][k % 2]);
}

/* Pressures of the contact vertices, made up from their ids. */
static PetscReal *Pressures(const FrictionStage *s)
{
  PetscReal *pressure = calloc((size_t)(s->c->num_vertices + 1), sizeof(*pressure));

  for (PetscInt v = 0; v < s->c->num_vertices; v++) pressure[v] = 2e3 + 1e3 * Noise(s->c->vertex_id[v], 0, 4);
  return pressure;
}

static void SamePairs(const FrictionStage *one, const FrictionStage *all)
{
  PetscReal     *p_one = Pressures(one), *p_all = Pressures(all);
  AbutPairForce *p, *q;
  PetscInt       n, m;

  AbutTestCall(AbutFrictionPairForces(one->friction, &(AbutPointForces){one->c, one->num_points, one->points, one->scale, one->c->x, p_one},
                                      0.4, &n, &p));
  AbutTestCall(AbutFrictionPairForces(all->friction, &(AbutPointForces){all->c, all->num_points, all->points, all->scale, all->c->x, p_all},
                                      0.4, &m, &q));
  assert_true(n == m && n >= 4);
  for (PetscInt i = 0; i < n; i++) {
    assert_true(p[i].body[0] == q[i].body[0] && p[i].body[1] == q[i].body[1] && p[i].body[0] <= p[i].body[1]);
    assert_true(p[i].contacts == q[i].contacts && p[i].sticking == q[i].sticking && p[i].sticking <= p[i].contacts);
    SameNumbers("normal resultant", 3, q[i].normal, p[i].normal);
    SameNumbers("area", 1, &q[i].area, &p[i].area);
    SameNumbers("centre", 3, q[i].center, p[i].center);
    SameNumbers("sum of normal forces", 1, &q[i].normal_sum, &p[i].normal_sum);
    if (p[i].body[0] == 1 && p[i].body[1] == 2)
      assert_true(AbutDot(3, q[i].friction, q[i].friction) == 0);
    else
      SameNumbers("friction resultant", 3, q[i].friction, p[i].friction);
  }
  AbutTestCall(PetscFree(p));
  AbutTestCall(PetscFree(q));
  free(p_one), free(p_all);
}

static void SameOnAnyRankCount(void **state)
{
  const AbutRigidMotion motion = {{0.1, 0.2, 0}, {0, 0, 0.02}, {0.01, 0, 0}};

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    FrictionStage one, all;
    StageOpen(PETSC_COMM_SELF, dim, dim == 3 ? &motion : NULL, &one);
    StageOpen(PETSC_COMM_WORLD, dim, dim == 3 ? &motion : NULL, &all);
    for (int i = 0; i < 2; i++) {
      const PetscReal t = 0.4 * i, energy_one = EnergyAt(&one, t), energy_all = EnergyAt(&all, t);
      const PetscInt  N    = one.m->num_global * dim;
      PetscReal      *mine = GradientAt(&one, t), *share = GradientAt(&all, t);
      PetscReal      *g_one = ById(one.comm, one.m, mine), *g_all = ById(all.comm, all.m, share);
      PetscReal      *Hv_one = HessianTimesNoise(&one, t), *Hv_all = HessianTimesNoise(&all, t);
      SameNumbers("energy", 1, &energy_all, &energy_one);
      SameNumbers("gradient", N, g_all, g_one);
      SameNumbers("Hessian times vector", N, Hv_all, Hv_one);
      free(mine), free(share), free(g_one), free(g_all), free(Hv_one), free(Hv_all);
    }
    SamePairs(&one, &all);
    SameSlips(&one, &all);
    StageClose(&one);
    StageClose(&all);
  }
}

/* Repeated evaluation is equal bit for bit, by the same object and by a second one. A new lag at the same points keeps start and line. */
static void SameEveryTime(void **state)
{
  FrictionStage s, other;
  PetscReal    *first, *again, *anew, *lagged;

  (void)state;
  StageOpen(PETSC_COMM_WORLD, 3, NULL, &s);
  StageOpen(PETSC_COMM_WORLD, 3, NULL, &other);
  first = GradientAt(&s, 0.3);
  again = GradientAt(&s, 0.3);
  anew  = GradientAt(&other, 0.3);
  AbutTestCall(AbutFrictionLag(s.friction, s.c, 0, NULL, s.scale, s.threshold, 1));
  assert_true(EnergyAt(&s, 0) == 0);
  AbutTestCall(AbutFrictionLag(s.friction, s.c, s.num_points, s.points, s.scale, s.threshold, 1));
  lagged = GradientAt(&s, 0.3);
  assert_memory_equal(first, again, sizeof(*first) * (size_t)(3 * s.m->num_owned));
  assert_memory_equal(first, anew, sizeof(*first) * (size_t)(3 * s.m->num_owned));
  assert_memory_equal(first, lagged, sizeof(*first) * (size_t)(3 * s.m->num_owned));
  free(first), free(again), free(anew), free(lagged);
  StageClose(&s);
  StageClose(&other);
}

/* Number of contacts on all ranks, or of the ones that relaxation keeps. */
static PetscInt CountContacts(const FrictionStage *s, PetscBool kept)
{
  const AbutFrictionContact *contacts;
  PetscInt                   count, sum = 0;

  AbutTestCall(AbutFrictionGetContacts(s->friction, 0.3, &count, &contacts));
  for (PetscInt i = 0; i < count; i++) sum += !kept || contacts[i].kept;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_INT, MPI_SUM, s->comm);
  return sum;
}

/*
  A relaxed lag adds its share to the remainder of the contacts so far, whether their points are there (here every second one, listed twice)
  or not. Contacts that are listed twice are kept once, and none for ever.
*/
static void RelaxedLagsAddUp(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    FrictionStage     s;
    AbutContactPoint *half;
    PetscReal        *all, *alone, *both, energy, now;
    PetscInt          count = 0, full, kept;
    StageOpen(PETSC_COMM_WORLD, dim, NULL, &s);
    half = malloc(sizeof(*half) * (size_t)(s.num_points + 2));
    for (PetscInt i = 0; i < s.num_points; i++) half[count++] = s.points[i / 2 * 2];
    all  = GradientAt(&s, 0.3);
    full = CountContacts(&s, PETSC_FALSE);
    assert_true(full > 0 && CountContacts(&s, PETSC_TRUE) == 0);
    AbutTestCall(AbutFrictionLag(s.friction, s.c, count, half, s.scale, s.threshold, 1));
    alone = GradientAt(&s, 0.3);
    AbutTestCall(AbutFrictionLag(s.friction, s.c, s.num_points, s.points, s.scale, s.threshold, 1));
    AbutTestCall(AbutFrictionLag(s.friction, s.c, count, half, s.scale, s.threshold, 0.7));
    both = GradientAt(&s, 0.3);
    kept = CountContacts(&s, PETSC_TRUE);
    assert_true(kept > 0 && kept < full);
    for (PetscInt i = 0; i < s.m->num_owned * dim; i++) alone[i] = 0.3 * all[i] + 0.7 * alone[i];
    SameNumbers("gradient", s.m->num_owned * dim, both, alone);
    energy = EnergyAt(&s, 0.3);
    AbutTestCall(AbutFrictionLag(s.friction, s.c, 0, NULL, s.scale, s.threshold, 0.7));
    now = EnergyAt(&s, 0.3);
    assert_true(PetscAbsReal(now - 0.3 * energy) <= 1e-12 * energy);
    assert_true(CountContacts(&s, PETSC_FALSE) == CountContacts(&s, PETSC_TRUE) && CountContacts(&s, PETSC_TRUE) <= full);
    for (int lag = 0; lag < 12; lag++) AbutTestCall(AbutFrictionLag(s.friction, s.c, 0, NULL, s.scale, s.threshold, 0.7));
    assert_true(CountContacts(&s, PETSC_FALSE) == 0);
    free(half), free(all), free(alone), free(both);
    StageClose(&s);
  }
}

/*
  The gradient equals 4th-order differences of the energy along the line, and evaluation at t equals evaluation at 0 of a line that starts
  there. With step 1e-3, jumps of the curvature of single contacts cause errors of 1e-6.
*/
static void EnergyFollowsItsGradient(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const PetscReal t = 0.4, h = 1e-3;
    FrictionStage   s;
    PetscReal      *g, slope = 0, difference, energy, there;
    StageOpen(PETSC_COMM_WORLD, dim, NULL, &s);
    g = GradientAt(&s, t);
    for (PetscInt i = 0; i < s.m->num_owned * dim; i++) slope += g[i] * s.p[i];
    MPI_Allreduce(MPI_IN_PLACE, &slope, 1, MPIU_REAL, MPIU_SUM, s.comm);
    difference = (8 * (EnergyAt(&s, t + h) - EnergyAt(&s, t - h)) - (EnergyAt(&s, t + 2 * h) - EnergyAt(&s, t - 2 * h))) / (12 * h);
    assert_true(PetscAbsReal(difference - slope) <= 1e-6 * PetscAbsReal(slope));
    energy = EnergyAt(&s, t);
    for (PetscInt i = 0; i < s.m->num_owned * dim; i++) s.x[i] += t * s.p[i];
    AbutTestCall(AbutFrictionSetLine(s.friction, s.x, NULL));
    there = EnergyAt(&s, 0.7);
    AbutTestClose("energy", 1, &there, &energy, 1e-13);
    free(g);
    StageClose(&s);
  }
}

/* d^T H d / (d . g), d the displacement since the start, after AbutFrictionUpdateMajorizers() with direction p = factor * d. */
static PetscReal CurvatureAfter(const FrictionStage *s, PetscReal factor)
{
  const PetscInt  dim = s->dim, owned = s->m->num_owned * dim;
  PetscReal      *d = malloc(sizeof(*d) * (size_t)(owned + 1)), *g, *Hd, *all, sums[2] = {0, 0};
  AbutStencilList stencils;
  AbutAssembler   as;

  for (PetscInt i = 0; i < owned; i++) d[i] = s->x[i] - s->start[i], s->p[i] = factor * d[i];
  AbutTestCall(AbutFrictionSetLine(s->friction, s->x, s->p));
  AbutTestCall(AbutFrictionUpdateMajorizers(s->friction));
  AbutFrictionGetPattern(s->friction, &stencils);
  as = HessianBegin(s->comm, s->m, &stencils, NULL);
  AbutTestCall(AbutFrictionAddHessian(s->friction, 0, 1, ABUT_PSD_CLAMP, as));
  Hd  = HessianTimes(s->comm, s->m, &as, d);
  all = ById(s->comm, s->m, d);
  g   = GradientAt(s, 0);
  for (PetscInt i = 0; i < owned; i++) sums[1] += g[i] * d[i];
  MPI_Allreduce(MPI_IN_PLACE, &sums[1], 1, MPIU_REAL, MPIU_SUM, s->comm);
  for (PetscInt i = 0; i < s->m->num_global * dim; i++) sums[0] += Hd[i] * all[i];
  free(d), free(g), free(Hd), free(all);
  return sums[0] / sums[1];
}

/*
  Far beyond the threshold the energy is linear in the slip u and has no curvature along u. The majorizing parabola has its minimum at
  slip 0: its curvature along u is slope / |u|. Contacts that do not move keep their curvature.
*/
static void ReversedSlipsUseTheMajorizer(void **state)
{
  static const PetscReal ways[][2] = {{0, 0},   {-0.9, 0},    {-1.1, 1}, {-0.9, 1}, {-0.4, 0.5},
                                      {0, 0.5}, {-0.4, 0.25}, {-2, 1},   {0.1, 0},  {-0.6, 0}};

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    FrictionStage s;
    StageOpen(PETSC_COMM_WORLD, dim, NULL, &s);
    AbutTestCall(AbutFrictionLag(s.friction, s.c, s.num_points, s.points, s.scale, 1e-9, 1));
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
      const PetscReal curvature = CurvatureAfter(&s, ways[i][0]);
      AbutTestClose("curvature", 1, &curvature, &ways[i][1], 1e-9);
    }
    StageClose(&s);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SameOnAnyRankCount), cmocka_unit_test(SameEveryTime),
                                     cmocka_unit_test(RelaxedLagsAddUp), cmocka_unit_test(EnergyFollowsItsGradient),
                                     cmocka_unit_test(ReversedSlipsUseTheMajorizer)};
  return AbutTestMain(argc, argv, tests);
}
