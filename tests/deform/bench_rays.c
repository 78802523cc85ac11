/*
  Benchmark, not a test: last hits of the rays of a frame by src/tools/deform and by Embree. Built with -DABUT_WITH_EMBREE=ON.

  bench_rays -first FILE -second FILE [-first_translate X,Y,Z] [-translate X,Y,Z] [-scale X,Y,Z] [-far X] [-direction X,Y,Z]
             [-repeat N] [-rays N] [-seed N]

  -first_translate moves the first surface and -translate the second, -scale stretches both and -far moves both along x, y and z;
  -direction is the mapping direction (default: eq. 2).

  Speed: processor time, least of N frames, to prepare both surfaces and to find the last hits of all vertices that face the other side
  within the overlap of both projections. Coordinates (a, b, c) are computed in each of them, since Embree gets them, too: its rays are then
  parallel to an axis.

  Robustness: N rays towards the second surface, a third each through vertices, points on edges and points of the overlap, compared with
  all faces by exact predicates. Rays whose last hit is on an outline or at
  the start are left out: there either answer is right. A ray misses if it finds
  no hit, or none within 1e-3 of the size of both surfaces.
*/
#include "bench_embree.h"
#include "pairimpl.h"
#include <abut/geom.h>
#include <abut/mesh.h>
#include <math.h>
#include <time.h>

static const char help[] = "Rays of the deformer beside Embree.\n";

/* Rays of one side. */
typedef struct {
  PetscInt   num;
  PetscReal *start; /* [3 * num] coordinates (a, b, c) */
} Rays;

static PetscErrorCode ReadVector(const char option[], PetscReal value[3])
{
  PetscInt  n = 3;
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetRealArray(NULL, NULL, option, value, &n, &given));
  AbutCheck(!given || n == 3, ABUT_ERR_INPUT, "%s: %" PetscInt_FMT " numbers, must be 3", option, n);
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadSurface(const char option[], const PetscReal translate[3], const PetscReal scale[3], PetscReal far,
                                  AbutDeformSurface *surface)
{
  AbutBodySpec      spec;
  AbutSurfaceArrays arrays;
  PetscBool         given;

  PetscFunctionBegin;
  PetscCall(AbutBodySpecInit(&spec));
  PetscCall(PetscStrncpy(spec.name, option + 1, sizeof(spec.name)));
  spec.shape.kind = ABUT_SHAPE_FILE;
  spec.obstacle   = PETSC_TRUE;
  PetscCall(PetscOptionsGetString(NULL, NULL, option, spec.shape.path, sizeof(spec.shape.path), &given));
  AbutCheck(given, ABUT_ERR_INPUT, "%s FILE is missing", option);
  PetscCall(AbutSurfaceRead(&spec, &arrays));
  for (PetscInt i = 0; i < arrays.num_vertices; i++)
    for (PetscInt k = 0; k < 3; k++) arrays.x[3 * i + k] = scale[k] * (arrays.x[3 * i + k] + translate[k]) + far;
  PetscCall(AbutDeformSurfaceCreate(spec.name, arrays.num_vertices, arrays.num_faces, arrays.face, surface));
  PetscCall(AbutDeformSurfaceSetPositions(*surface, arrays.x));
  PetscCall(AbutSurfaceArraysFree(&arrays));
  PetscFunctionReturn(0);
}

/* Reads both surfaces and computes their mapping direction and coordinates. */
static PetscErrorCode ReadPair(AbutDeformPair **pair)
{
  PetscReal         translate[2][3] = {{0}}, scale[3] = {1, 1, 1}, direction[3] = {0}, far = 0;
  AbutDeformSurface surface[2];

  PetscFunctionBegin;
  PetscCall(ReadVector("-first_translate", translate[0]));
  PetscCall(ReadVector("-translate", translate[1]));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-far", &far, NULL));
  PetscCall(ReadVector("-scale", scale));
  PetscCall(ReadVector("-direction", direction));
  PetscCall(ReadSurface("-first", translate[0], scale, far, &surface[0]));
  PetscCall(ReadSurface("-second", translate[1], scale, far, &surface[1]));
  PetscCall(AbutDeformPairCreate(surface[0], surface[1], pair));
  PetscCall(PetscArraycpy((*pair)->control.direction, direction, 3));
  PetscCall(AbutDeformPairIntersect(*pair));
  AbutCheck((*pair)->curve.num_crossings, ABUT_ERR_INPUT, "The surfaces do not intersect");
  PetscCall(AbutDeformPairMap(*pair));
  AbutCheck((*pair)->mapping[0].num || (*pair)->mapping[1].num, ABUT_ERR_INPUT, "The surfaces touch only: they have no mapping direction");
  PetscFunctionReturn(0);
}

static PetscErrorCode DestroyPair(AbutDeformPair **pair)
{
  AbutDeformSurface surface[2] = {(*pair)->surface[0], (*pair)->surface[1]};

  PetscFunctionBegin;
  PetscCall(AbutDeformPairDestroy(pair));
  for (PetscInt s = 0; s < 2; s++) PetscCall(AbutDeformSurfaceDestroy(&surface[s]));
  PetscFunctionReturn(0);
}

/* Coordinate c beyond both surfaces along d_s of side s. */
static PetscReal Beyond(const AbutDeformPair *pair, PetscInt side)
{
  PetscReal most = PETSC_MIN_REAL;

  for (PetscInt s = 0; s < 2; s++)
    for (PetscInt v = 0; v < pair->surface[s]->num_vertices; v++)
      most = PetscMax(most, AbutRayHeight(side, &pair->rays->position[s][3 * v]));
  most += 0.01 * (pair->surface[0]->size + pair->surface[1]->size);
  return side ? -most : most;
}

static PetscBool InOverlap(const AbutRayGrid *grid, const PetscReal p[2])
{
  return (PetscBool)(p[0] >= grid->lo[0] && p[0] <= grid->hi[0] && p[1] >= grid->lo[1] && p[1] <= grid->hi[1]);
}

/* Vertices of a side that face the other one within the overlap. */
static PetscErrorCode FrameRays(const AbutDeformPair *pair, PetscInt side, Rays *rays)
{
  const AbutDeformSurface surface = pair->surface[side];

  PetscFunctionBegin;
  rays->num = 0;
  PetscCall(PetscMalloc1(3 * surface->num_vertices, &rays->start));
  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    const PetscReal *p = &pair->rays->position[side][3 * v];

    if (!InOverlap(&pair->rays->grid[1 - side], p) || AbutDot(3, &surface->normal[3 * v], pair->mapping[side].direction) > 0) continue;
    PetscCall(PetscArraycpy(&rays->start[3 * rays->num++], p, 3));
  }
  PetscFunctionReturn(0);
}

static double Seconds(clock_t since)
{
  return (double)(clock() - since) / CLOCKS_PER_SEC;
}

/* Seconds of a frame: [0] to prepare it, [1] for the rays. */
typedef struct {
  double   best[2];
  PetscInt hits;
} Timing;

static void Keep(Timing *timing, double prepare, double rays)
{
  timing->best[0] = PetscMin(timing->best[0], prepare);
  timing->best[1] = PetscMin(timing->best[1], rays);
}

static PetscErrorCode TimeOwn(AbutDeformPair *pair, const Rays rays[2], Timing *timing)
{
  double     prepare;
  clock_t    start = clock();
  AbutRayHit hit;

  PetscFunctionBegin;
  PetscCall(AbutRaysSet(pair, (const PetscReal *[]){(pair)->surface[0]->x, (pair)->surface[1]->x}));
  prepare      = Seconds(start);
  start        = clock();
  timing->hits = 0;
  for (PetscInt s = 0; s < 2; s++)
    for (PetscInt i = 0; i < rays[s].num; i++) timing->hits += AbutRaysFarthest(pair, s, &rays[s].start[3 * i], &hit);
  Keep(timing, prepare, Seconds(start));
  PetscFunctionReturn(0);
}

/* Coordinates along the axes, as AbutRaysSet() computes them. */
static void SetCoordinates(const AbutDeformPair *pair, PetscInt side, PetscReal position[])
{
  for (PetscInt i = 0; i < pair->surface[side]->num_vertices; i++)
    for (PetscInt k = 0; k < 3; k++) position[3 * i + k] = AbutDot(3, pair->rays->axis[k], &pair->surface[side]->x[3 * i]);
}

static PetscErrorCode TimeEmbree(const AbutDeformPair *pair, const Rays rays[2], EmbreeSurface embree[2], Timing *timing)
{
  const PetscInt most = PetscMax(pair->surface[0]->num_vertices, pair->surface[1]->num_vertices);
  double         prepare;
  clock_t        start;
  PetscReal     *position, end[2] = {Beyond(pair, 0), Beyond(pair, 1)};
  EmbreeHit     *hits;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(3 * most, &position, most, &hits));
  start = clock();
  for (PetscInt s = 0; s < 2; s++) {
    SetCoordinates(pair, s, position);
    PetscCall(EmbreeSetPositions(embree[s], position));
  }
  prepare      = Seconds(start);
  start        = clock();
  timing->hits = 0;
  for (PetscInt s = 0; s < 2; s++) {
    PetscCall(EmbreeFarthest(embree[1 - s], rays[s].num, rays[s].start, s ? -1 : 1, end[s], hits));
    for (PetscInt i = 0; i < rays[s].num; i++) timing->hits += hits[i].face >= 0;
  }
  Keep(timing, prepare, Seconds(start));
  PetscCall(PetscFree2(position, hits));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateBoth(const AbutDeformPair *pair, EmbreeUpdate update, EmbreeSurface embree[2])
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; s++)
    PetscCall(
      EmbreeCreate(pair->surface[s]->num_vertices, pair->surface[s]->num_faces, pair->surface[s]->tree_input.face, update, &embree[s]));
  PetscFunctionReturn(0);
}

static PetscErrorCode PrintTiming(const char name[], const Timing *timing)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-14s %12.3f %9.3f %9.3f %9" PetscInt_FMT "\n", name, 1e3 * timing->best[0],
                        1e3 * timing->best[1], 1e3 * (timing->best[0] + timing->best[1]), timing->hits));
  PetscFunctionReturn(0);
}

/* Alternates the three in each repetition, so that other work on the machine meets all of them. */
static PetscErrorCode CompareSpeed(AbutDeformPair *pair, PetscInt repeat)
{
  Timing        own = {{INFINITY, INFINITY}, 0}, build = own, refit = own;
  EmbreeSurface embree[2][2];
  Rays          rays[2];

  PetscFunctionBegin;
  PetscCall(CreateBoth(pair, EMBREE_BUILD, embree[EMBREE_BUILD]));
  PetscCall(CreateBoth(pair, EMBREE_REFIT, embree[EMBREE_REFIT]));
  for (PetscInt s = 0; s < 2; s++) PetscCall(FrameRays(pair, s, &rays[s]));
  for (PetscInt i = 0; i < repeat; i++) {
    PetscCall(TimeOwn(pair, rays, &own));
    PetscCall(TimeEmbree(pair, rays, embree[EMBREE_BUILD], &build));
    PetscCall(TimeEmbree(pair, rays, embree[EMBREE_REFIT], &refit));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%" PetscInt_FMT " vertices, %" PetscInt_FMT " rays\n",
                        pair->surface[0]->num_vertices + pair->surface[1]->num_vertices, rays[0].num + rays[1].num));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-14s %12s %9s %9s %9s\n", "", "prepare [ms]", "rays", "sum", "hits"));
  PetscCall(PrintTiming("abut", &own));
  PetscCall(PrintTiming("Embree, build", &build));
  PetscCall(PrintTiming("Embree, refit", &refit));
  for (PetscInt s = 0; s < 2; s++) {
    PetscCall(PetscFree(rays[s].start));
    for (PetscInt k = 0; k < 2; k++) PetscCall(EmbreeDestroy(&embree[k][s]));
  }
  PetscFunctionReturn(0);
}

/* Rays towards side 1 that start below both surfaces. */
static PetscErrorCode TargetRays(const AbutDeformPair *pair, PetscInt num, PetscRandom random, Rays *rays)
{
  const AbutDeformSurface surface  = pair->surface[1];
  const PetscReal        *position = pair->rays->position[1];
  const AbutRayGrid      *grid     = &pair->rays->grid[1];
  PetscReal               low      = PETSC_MAX_REAL, r[2];

  PetscFunctionBegin;
  for (PetscInt v = 0; v < pair->surface[0]->num_vertices; v++) low = PetscMin(low, pair->rays->position[0][3 * v + 2]);
  PetscCall(PetscMalloc1(3 * num, &rays->start));
  for (rays->num = 0; rays->num < num;) {
    PetscReal *p = &rays->start[3 * rays->num];

    for (PetscInt k = 0; k < 2; k++) PetscCall(PetscRandomGetValueReal(random, &r[k]));
    for (PetscInt k = 0; k < 2; k++) {
      const PetscInt *edge = surface->edge[(PetscInt)(r[0] * (PetscReal)surface->num_edges)];

      if (rays->num % 3 == 0)
        p[k] = position[3 * edge[0] + k];
      else if (rays->num % 3 == 1)
        p[k] = position[3 * edge[0] + k] + r[1] * (position[3 * edge[1] + k] - position[3 * edge[0] + k]);
      else
        p[k] = grid->lo[k] + r[k] * (grid->hi[k] - grid->lo[k]);
    }
    p[2] = low;
    if (InOverlap(grid, p)) rays->num++;
  }
  PetscFunctionReturn(0);
}

typedef enum { TRUTH_NONE, TRUTH_HIT, TRUTH_EITHER } Truth;

/* Sign of a triangle, seen along c, and the height of p in it. 0: it does not contain p, borders included; 2: it is seen edge-on. */
static int Contains(const PetscReal *const x[3], const PetscReal p[2], PetscReal *height)
{
  PetscReal area[3], sum = 0;
  int       sign[3], all;

  for (PetscInt k = 0; k < 3; k++) sign[k] = AbutOrient2D(x[(k + 1) % 3], x[(k + 2) % 3], p);
  all = sign[0] ? sign[0] : sign[1] ? sign[1] : sign[2];
  for (PetscInt k = 0; k < 3; k++)
    if (sign[k] && sign[k] != all) return 0;
  if (!AbutOrient2D(x[0], x[1], x[2])) return all ? 0 : 2;
  for (PetscInt k = 0; k < 3; k++) {
    const PetscReal *u = x[(k + 1) % 3], *v = x[(k + 2) % 3];

    sum += area[k] = fabs((u[0] - p[0]) * (v[1] - p[1]) - (u[1] - p[1]) * (v[0] - p[0]));
  }
  *height = 0;
  for (PetscInt k = 0; k < 3; k++) *height += area[k] / sum * x[k][2];
  return all;
}

/*
  The last hit over all faces of side 1 beyond the start. An outline has faces of both signs at the same height, or a face seen edge-on.
  A start on a face is undecided, too.
*/
static Truth AllFaces(const AbutDeformPair *pair, const PetscReal p[3], PetscReal *top)
{
  const PetscReal *position = pair->rays->position[1], size = pair->surface[0]->size + pair->surface[1]->size, near = 1e-6 * size;
  PetscBool        signs[2] = {PETSC_FALSE, PETSC_FALSE};

  *top = p[2] - 1e-6 * size;
  for (PetscInt f = 0; f < pair->surface[1]->num_faces; f++) {
    const int32_t   *v    = &pair->surface[1]->tree_input.face[3 * f];
    const PetscReal *x[3] = {&position[3 * v[0]], &position[3 * v[1]], &position[3 * v[2]]};
    PetscReal        height;
    int              sign;

    if (PetscMin(x[0][0], PetscMin(x[1][0], x[2][0])) > p[0] || PetscMax(x[0][0], PetscMax(x[1][0], x[2][0])) < p[0]) continue;
    if (PetscMin(x[0][1], PetscMin(x[1][1], x[2][1])) > p[1] || PetscMax(x[0][1], PetscMax(x[1][1], x[2][1])) < p[1]) continue;
    sign = Contains(x, p, &height);
    if (sign == 2) return TRUTH_EITHER;
    if (!sign || height < *top - near) continue;
    if (height > *top + near) signs[0] = signs[1] = PETSC_FALSE;
    *top            = PetscMax(*top, height);
    signs[sign > 0] = PETSC_TRUE;
  }
  if (!signs[0] && !signs[1]) return TRUTH_NONE;
  return (signs[0] && signs[1]) || *top < p[2] + 1e-6 * size ? TRUTH_EITHER : TRUTH_HIT;
}

/* Answers that differ from the exact one. */
typedef struct {
  PetscInt  missed, invented; /* no hit where there is one, and the opposite */
  PetscReal error;            /* largest error of the height of the others, over the size */
} Faults;

static void Compare(Truth truth, PetscReal top, PetscBool found, PetscReal height, PetscReal size, Faults *faults)
{
  const PetscReal error = fabs(height - top) / size;

  if (truth == TRUTH_NONE)
    faults->invented += found;
  else if (!found || error > 1e-3)
    faults->missed++;
  else
    faults->error = PetscMax(faults->error, error);
}

static PetscErrorCode PrintFaults(const char name[], const Faults *faults)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-14s %8" PetscInt_FMT " %9" PetscInt_FMT " %10.1e\n", name, faults->missed, faults->invented,
                        (double)faults->error));
  PetscFunctionReturn(0);
}

static PetscErrorCode CompareRobustness(const AbutDeformPair *pair, PetscInt num, PetscRandom random)
{
  const PetscReal size      = pair->surface[0]->size + pair->surface[1]->size;
  Faults          faults[2] = {{0}};
  EmbreeSurface   embree[2];
  EmbreeHit      *hits;
  Rays            rays;
  PetscInt        count[3] = {0};

  PetscFunctionBegin;
  PetscCall(TargetRays(pair, num, random, &rays));
  PetscCall(CreateBoth(pair, EMBREE_BUILD, embree));
  PetscCall(EmbreeSetPositions(embree[1], pair->rays->position[1]));
  PetscCall(PetscMalloc1(num, &hits));
  PetscCall(EmbreeFarthest(embree[1], num, rays.start, 1, Beyond(pair, 0), hits));
  for (PetscInt i = 0; i < num; i++) {
    PetscReal       top;
    AbutRayHit      hit;
    const Truth     truth = AllFaces(pair, &rays.start[3 * i], &top);
    const PetscBool found = AbutRaysFarthest(pair, 0, &rays.start[3 * i], &hit);

    count[truth]++;
    if (truth == TRUTH_EITHER) continue;
    Compare(truth, top, found, hit.height, size, &faults[0]);
    Compare(truth, top, (PetscBool)(hits[i].face >= 0), (PetscReal)hits[i].top, size, &faults[1]);
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%" PetscInt_FMT " rays: %" PetscInt_FMT " hit, %" PetscInt_FMT " do not, %" PetscInt_FMT " undecided\n", num,
                        count[TRUTH_HIT], count[TRUTH_NONE], count[TRUTH_EITHER]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-14s %8s %9s %10s\n", "", "missed", "invented", "error"));
  PetscCall(PrintFaults("abut", &faults[0]));
  PetscCall(PrintFaults("Embree", &faults[1]));
  for (PetscInt s = 0; s < 2; s++) PetscCall(EmbreeDestroy(&embree[s]));
  PetscCall(PetscFree(rays.start));
  PetscCall(PetscFree(hits));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(void)
{
  PetscInt        repeat = 20, num = 100000, seed = 1;
  AbutDeformPair *pair;
  PetscRandom     random;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeat", &repeat, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-rays", &num, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-seed", &seed, NULL));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetSeed(random, (unsigned long)seed));
  PetscCall(PetscRandomSeed(random));
  PetscCall(ReadPair(&pair));
  if (repeat > 0) PetscCall(CompareSpeed(pair, repeat));
  if (num > 0) PetscCall(CompareRobustness(pair, num, random));
  PetscCall(DestroyPair(&pair));
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  PetscErrorCode ierr = AbutInitialize(MPI_COMM_WORLD, &argc, &argv, help);

  if (ierr) return (int)AbutErrorExitCode(ierr);
  ierr = Run();
  if (ierr) (void)PetscPrintf(PETSC_COMM_WORLD, "%s%s\n", AbutErrorMessage(), AbutErrorTrace());
  (void)AbutFinalize();
  return (int)AbutErrorExitCode(ierr);
}
