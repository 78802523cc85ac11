/*
  abut-gmsh: reads or meshes a file by libgmsh in a process of its own, without MPI and PETSc. Damaged files and faults of the library then
  cannot take a run down, and its ninety dependencies do not delay the start of every rank.

  abut-gmsh FILE DIM SIZE ORDER: SIZE is the edge length before scaling, in metres if the file states a unit; 0: the sizes of the file.
  ORDER 1 or 2 is the order of the cells of a geometry; a mesh keeps its own. The mesh goes to descriptor ABUT_GMSH_DATA as a
  .msh file of ASCII version 4.1, the text of an error to ABUT_GMSH_TEXT; the exit code is then 2.
*/
#include "gmsh_program.h"
#include <gmshc.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#define MOST_CELLS 5e7 /* largest predicted number of cells */
#define LAST_FD    1024

static void Fail(const char text[])
{
  FILE *out = fdopen(ABUT_GMSH_TEXT, "w");

  if (out) fputs(text, out);
  if (out) fclose(out);
  _exit(2);
}

/* Ends the program after a failure of a function of libgmsh. */
static void Check(int error, const char function[])
{
  char *text = NULL, line[ABUT_GMSH_TEXT_SIZE];
  int   code = 0;

  if (!error) return;
  gmshLoggerGetLastError(&text, &code);
  snprintf(line, sizeof(line), "%s (%s)", text && text[0] ? text : "libgmsh cannot read or mesh it", function);
  Fail(line);
}

/* Calls a function of libgmsh, whose last argument is the error code. */
#define GmshCall(name, ...)     \
  do {                          \
    int error_ = 0;             \
    name(__VA_ARGS__, &error_); \
    Check(error_, #name);       \
  } while (0)

/* Writes the names of the physical groups; a group without a name has the digits of its tag. */
static void WriteNames(FILE *out)
{
  int   *groups = NULL;
  size_t num;

  GmshCall(gmshModelGetPhysicalGroups, &groups, &num, -1);
  fprintf(out, "$PhysicalNames\n%zu\n", num / 2);
  for (size_t i = 0; i + 1 < num; i += 2) {
    char *name = NULL;

    GmshCall(gmshModelGetPhysicalName, groups[i], groups[i + 1], &name);
    fprintf(out, "%d %d \"", groups[i], groups[i + 1]);
    if (name && name[0])
      fprintf(out, "%s\"\n", name);
    else
      fprintf(out, "%d\"\n", groups[i + 1]);
    gmshFree(name);
  }
  fprintf(out, "$EndPhysicalNames\n");
  gmshFree(groups);
}

/* Entities of the geometry of dimensions 0 to 3: pairs of dimension and tag. */
typedef struct {
  int   *of[4];
  size_t num[4]; /* numbers of entities */
} Entities;

static Entities GetEntities(void)
{
  Entities e = {{0}, {0}};

  for (int dim = 0; dim < 4; dim++) {
    GmshCall(gmshModelGetEntities, &e.of[dim], &e.num[dim], dim);
    e.num[dim] /= 2;
  }
  return e;
}

/* Writes the physical groups of the entities; abut does not read their boxes. */
static void WriteEntities(FILE *out, const Entities *e)
{
  fprintf(out, "$Entities\n%zu %zu %zu %zu\n", e->num[0], e->num[1], e->num[2], e->num[3]);
  for (int dim = 0; dim < 4; dim++) {
    for (size_t i = 0; i < e->num[dim]; i++) {
      const int tag    = e->of[dim][2 * i + 1];
      int      *groups = NULL;
      size_t    num;

      GmshCall(gmshModelGetPhysicalGroupsForEntity, dim, tag, &groups, &num);
      fprintf(out, "%d %s%zu", tag, dim ? "0 0 0 0 0 0 " : "0 0 0 ", num);
      for (size_t k = 0; k < num; k++) fprintf(out, " %d", groups[k]);
      fprintf(out, "\n");
      gmshFree(groups);
    }
  }
  fprintf(out, "$EndEntities\n");
}

/* Writes all nodes as one block. unit: length of 1 in libgmsh [m], 1 for files without a unit */
static void WriteNodes(FILE *out, double unit)
{
  size_t *tags = NULL, num, num_x, num_parameters;
  double *x = NULL, *parameters = NULL;

  GmshCall(gmshModelMeshGetNodes, &tags, &num, &x, &num_x, &parameters, &num_parameters, -1, -1, 0, 0);
  fprintf(out, "$Nodes\n1 %zu 0 0\n3 0 0 %zu\n", num, num);
  for (size_t i = 0; i < num; i++) fprintf(out, "%zu\n", tags[i]);
  for (size_t i = 0; i < 3 * num; i++) fprintf(out, "%.17g%c", unit * x[i], i % 3 == 2 ? '\n' : ' ');
  fprintf(out, "$EndNodes\n");
  gmshFree(tags);
  gmshFree(x);
  gmshFree(parameters);
}

/* Writes the elements of a type in an entity, or nothing if `out` is NULL. Returns their number. */
static size_t WriteBlock(FILE *out, int dim, int entity, int type)
{
  size_t *tags = NULL, *nodes = NULL, num, num_nodes;

  GmshCall(gmshModelMeshGetElementsByType, type, &tags, &num, &nodes, &num_nodes, entity, 0, 1);
  if (out && num) fprintf(out, "%d %d %d %zu\n", dim, entity, type, num);
  for (size_t i = 0; out && i < num; i++) {
    fprintf(out, "%zu", tags[i]);
    for (size_t k = i * (num_nodes / num); k < (i + 1) * (num_nodes / num); k++) fprintf(out, " %zu", nodes[k]);
    fprintf(out, "\n");
  }
  gmshFree(tags);
  gmshFree(nodes);
  return num;
}

/* Writes the simplices of dimensions up to `dim`: a first pass counts them. */
static void WriteElements(FILE *out, const Entities *e, int dim)
{
  size_t blocks = 0, total = 0;

  for (int pass = 0; pass < 2; pass++) {
    if (pass) fprintf(out, "$Elements\n%zu %zu 0 0\n", blocks, total);
    for (int d = 0; d <= dim; d++)
      for (size_t i = 0; i < e->num[d]; i++)
        for (int k = 0; k < (d ? 2 : 1); k++) {
          const size_t num = WriteBlock(pass ? out : NULL, d, e->of[d][2 * i + 1], k ? AbutGmshQuadratic[d] : AbutGmshLinear[d]);

          if (pass) continue;
          blocks += num > 0;
          total += num;
        }
  }
  fprintf(out, "$EndElements\n");
}

static int HasMesh(int dim)
{
  int   *types = NULL;
  size_t num;

  GmshCall(gmshModelMeshGetElementTypes, &types, &num, dim, -1);
  gmshFree(types);
  return num > 0;
}

/* Fails if the mesh has cells that are not linear or quadratic simplices, or cells of both orders. */
static void CheckTypes(int dim)
{
  const int linear = AbutGmshLinear[dim], quadratic = AbutGmshQuadratic[dim];
  int      *types = NULL, bad = 0, good = 0;
  size_t    num;
  char      text[ABUT_GMSH_TEXT_SIZE];

  GmshCall(gmshModelMeshGetElementTypes, &types, &num, dim, -1);
  for (size_t i = 0; i < num; i++) {
    if (types[i] == linear || types[i] == quadratic)
      good++;
    else
      bad = types[i];
  }
  gmshFree(types);
  snprintf(text, sizeof(text), "element type %d is not supported: cells must be linear or quadratic %s (type %d or %d)", bad,
           dim == 3 ? "tetrahedra" : "triangles", linear, quadratic);
  if (bad) Fail(text);
  snprintf(text, sizeof(text), "the file has cells of types %d and %d: all cells of a file must be linear or all must be quadratic", linear,
           quadratic);
  if (good > 1) Fail(text);
}

/* Sum of the volumes, areas or lengths of all entities of a dimension; < 0 if they are not of OpenCASCADE. */
static double Measure(int dim)
{
  int   *entities = NULL, error = 0;
  size_t num;
  double sum = 0;

  GmshCall(gmshModelGetEntities, &entities, &num, dim);
  for (size_t i = 0; i + 1 < num && !error; i += 2) {
    double one = 0;

    gmshModelOccGetMass(dim, entities[i + 1], &one, &error);
    sum += one;
  }
  gmshFree(entities);
  return error ? -1 : sum;
}

static void SetSize(double size)
{
  GmshCall(gmshOptionSetNumber, "Mesh.MeshSizeMin", size);
  GmshCall(gmshOptionSetNumber, "Mesh.MeshSizeMax", size);
}

/* Volume, in 2D area, of a mesh of edge length `size`, which is removed again; < 0 if libgmsh cannot make it. */
static double MeasureMesh(int dim, double size)
{
  double centre[3] = {0.25, 0.25, dim == 3 ? 0.25 : 0}, *jacobians = NULL, *determinants = NULL, *points = NULL, sum = 0;
  size_t num_jacobians, num = 0, num_points;
  int    error = 0;

  SetSize(size);
  gmshModelMeshGenerate(dim, &error);
  if (!error)
    gmshModelMeshGetJacobians(dim == 3 ? 4 : 2, centre, 3, &jacobians, &num_jacobians, &determinants, &num, &points, &num_points, -1, 0, 1,
                              &error);
  for (size_t i = 0; i < num && !error; i++) sum += fabs(determinants[i]) / (dim == 3 ? 6 : 2);
  if (jacobians) gmshFree(jacobians);
  if (determinants) gmshFree(determinants);
  if (points) gmshFree(points);
  GmshCall(gmshModelMeshClear, NULL, 0);
  return error || !num ? -1 : sum;
}

/*
  Number of cells of edge length `size`: 5 V / size^3 of a volume V (2D: 2.5 A / size^2), measured on cubes and squares, with a layer of
  `size` / 2.5 at the surface, which counts in thin sheets. Where OpenCASCADE does not know the volume, it is
  that of the bounding box or, if this gives too many cells, of a coarse mesh.
*/
static double PredictCells(int dim, double size, const double extent[3])
{
  const double inside = Measure(dim), border = Measure(dim - 1), per_cell = dim == 3 ? 0.2 * size * size * size : 0.4 * size * size;
  const double largest = fmax(extent[0], fmax(extent[1], extent[2]));
  double       box     = 1, coarse;

  if (inside >= 0 && border >= 0) return (inside + 0.4 * size * border) / per_cell;
  for (int d = 0; d < dim; d++) box *= extent[d] + 0.4 * size;
  if (box / per_cell <= MOST_CELLS) return box / per_cell;
  coarse = MeasureMesh(dim, largest / 20);
  return (coarse >= 0 ? coarse : box) / per_cell;
}

/* Refuses an edge length that gives too many cells, most often that of another unit. */
static void CheckSize(int dim, double size, const char unit[])
{
  double low[3], high[3], extent[3], cells;
  char   text[ABUT_GMSH_TEXT_SIZE];

  GmshCall(gmshModelGetBoundingBox, -1, -1, &low[0], &low[1], &low[2], &high[0], &high[1], &high[2]);
  for (int d = 0; d < 3; d++) extent[d] = high[d] - low[d];
  cells = PredictCells(dim, size, extent);
  snprintf(text, sizeof(text),
           "mesh_size gives about %.3g cells, at most %.0f are made; before `scale`, the edge length is %g%s, the shape %.6g x %.6g x "
           "%.6g%s: check mesh_size, scale and the unit of the file",
           cells, MOST_CELLS, size, unit, extent[0], extent[1], extent[2], unit);
  if (!(cells <= MOST_CELLS)) Fail(text);
}

/* Reads the file; meshes its geometry if it has no mesh. Nodes on edges of quadratic cells are on the true surface. */
static void OpenAndMesh(const char path[], int dim, double size, int order)
{
  int ierr;

  GmshCall(gmshOptionSetNumber, "General.Terminal", 0);
  GmshCall(gmshOptionSetNumber, "General.NumThreads", 1);
  GmshCall(gmshOpen, path);
  if (HasMesh(dim)) return;
  if (size > 0) {
    CheckSize(dim, size, AbutGmshHasUnit(path) ? " mm" : "");
    SetSize(size);
  }
  GmshCall(gmshOptionSetNumber, "Mesh.ElementOrder", order);
  GmshCall(gmshOptionSetNumber, "Mesh.SecondOrderIncomplete", 0);
  GmshCall(gmshOptionSetNumber, "Mesh.SecondOrderLinear", 0);
  GmshCall(gmshModelMeshGenerate, dim);
  /* untangles cells that a curved face has turned inside out; an error says that some are still distorted, and abut checks them all */
  if (order > 1) gmshModelMeshOptimize("HighOrder", 0, 1, NULL, 0, &ierr);
}

/* Lets the program end with its parent, and without files of it: sockets of MPI, results. */
static void Separate(void)
{
  const struct rlimit none = {0, 0};

#if defined(__linux__)
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  setrlimit(RLIMIT_CORE, &none);
  for (int fd = ABUT_GMSH_TEXT + 1; fd < LAST_FD; fd++) close(fd);
}

int main(int argc, char **argv)
{
  const int dim = argc == 5 ? atoi(argv[2]) : 0, order = argc == 5 ? atoi(argv[4]) : 0;
  int       error = 0;
  double    unit;
  Entities  entities;
  FILE     *out;

  if ((dim != 2 && dim != 3) || order < 1 || order > 2) return fputs("abut-gmsh is started by abut\n", stderr) < 0 ? 1 : 2;
  Separate();
  unit = AbutGmshHasUnit(argv[1]) ? 1e-3 : 1; /* OpenCASCADE converts to millimetres; libgmsh 4.8 cannot make it convert IGES to metres */
  out  = fdopen(ABUT_GMSH_DATA, "wb");
  if (!out) return 1;
#if GMSH_API_VERSION_MAJOR == 4 && GMSH_API_VERSION_MINOR < 9
  gmshInitialize(0, NULL, 0, &error);
#else
  gmshInitialize(0, NULL, 0, 0, &error);
#endif
  Check(error, "gmshInitialize");
  OpenAndMesh(argv[1], dim, strtod(argv[3], NULL) / unit, order);
  CheckTypes(dim);
  entities = GetEntities();
  fprintf(out, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n");
  WriteNames(out);
  WriteEntities(out, &entities);
  WriteNodes(out, unit);
  WriteElements(out, &entities, dim);
  _exit(fclose(out) ? 1 : 0); /* libgmsh has nothing to save */
}
