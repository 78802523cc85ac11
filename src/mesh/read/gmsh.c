/*
  Reads .geo and CAD files and unusual .msh files by libgmsh. Rank 0 loads the library on first use. Linked to the program, the library and
  its ninety dependencies would delay the start of every rank by 0.2 s.
*/
#include "read.h"

#ifndef ABUT_GMSH_FILE

PetscErrorCode AbutShapeReadGmsh(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  (void)dim;
  (void)shape;
  return AbutSpecError(
    spec, "%s needs libgmsh, and this program was built without it (ABUT_WITH_GMSH); write an ASCII .msh file of version 2.2 or 4.1",
    spec->shape.path);
}

#else

#include <dlfcn.h>
#include <gmshc.h>
#include <string.h>

/* Functions of libgmsh that abut calls: X(name) */
/* clang-format off */
#define GMSH_FUNCTIONS(X) \
  X(gmshInitialize) \
  X(gmshFinalize) \
  X(gmshFree) \
  X(gmshOpen) \
  X(gmshOptionSetNumber) \
  X(gmshLoggerGetLastError) \
  X(gmshModelMeshGenerate) \
  X(gmshModelMeshGetNodes) \
  X(gmshModelMeshGetElementTypes) \
  X(gmshModelMeshGetElementsByType) \
  X(gmshModelGetPhysicalGroups) \
  X(gmshModelGetPhysicalName) \
  X(gmshModelMeshGetNodesForPhysicalGroup)
/* clang-format on */

#define DECLARE(name) static __typeof__(name) *p_##name;
GMSH_FUNCTIONS(DECLARE)

/* Calls a function of libgmsh, whose last argument is the error code. */
#define GmshCall(spec, name, ...)                                                \
  do {                                                                           \
    int gmsh_error_ = 0;                                                         \
    p_##name(__VA_ARGS__, &gmsh_error_);                                         \
    if (PetscUnlikely(gmsh_error_)) PetscFunctionReturn(GmshError(spec, #name)); \
  } while (0)

static PetscErrorCode GmshError(const AbutBodySpec *spec, const char function[])
{
  char          *text  = NULL;
  int            error = 0;
  PetscErrorCode code;

  p_gmshLoggerGetLastError(&text, &error);
  code = AbutSpecError(spec, "%s: %s (%s)", spec->shape.path, text && text[0] ? text : "libgmsh cannot read or mesh it", function);
  if (text) p_gmshFree(text);
  return code;
}

static PetscErrorCode LoadLibrary(const AbutBodySpec *spec)
{
  void *library = dlopen(ABUT_GMSH_FILE, RTLD_NOW | RTLD_LOCAL);

  PetscFunctionBegin;
  if (!library) library = dlopen(ABUT_GMSH_NAME, RTLD_NOW | RTLD_LOCAL);
  AbutSpecCheck(library, spec, "%s needs libgmsh: %s", spec->shape.path, dlerror());
#define FIND(name)                             \
  *(void **)&p_##name = dlsym(library, #name); \
  AbutSpecCheck(p_##name, spec, "%s needs libgmsh: %s", spec->shape.path, dlerror());
  GMSH_FUNCTIONS(FIND)
  PetscFunctionReturn(0);
}

/* Copies the nodes in the order of libgmsh, and their tags. */
static PetscErrorCode GetNodes(const AbutBodySpec *spec, AbutShape *shape, AbutTags *table)
{
  size_t        *tags = NULL, num_tags, num_x, num_parameters;
  double        *x = NULL, *parameters = NULL;
  PetscInt       n, twice;
  PetscErrorCode ierr = 0;

  PetscFunctionBegin;
  GmshCall(spec, gmshModelMeshGetNodes, &tags, &num_tags, &x, &num_x, &parameters, &num_parameters, -1, -1, 0, 0);
  PetscCall(PetscIntCast((PetscInt64)num_tags, &n));
  PetscCall(PetscMalloc1(3 * n, &shape->x));
  shape->num_vertices = n;
  for (PetscInt i = 0; i < n; i++) PetscCall(AbutTagsPush(table, (PetscInt)tags[i]));
  twice = AbutTagsSort(table);
  if (twice >= 0) ierr = AbutSpecError(spec, "%s: node tag %zu occurs twice", spec->shape.path, tags[twice]);
  for (PetscInt i = 0; i < 3 * n; i++) shape->x[i] = (PetscReal)x[i];
  p_gmshFree(tags);
  p_gmshFree(x);
  p_gmshFree(parameters);
  PetscFunctionReturn(ierr);
}

/* Copies the elements of one type with n nodes each and marks their nodes in `used`. */
static PetscErrorCode GetSimplices(const AbutBodySpec *spec, int type, PetscInt n, AbutTags *table, PetscBool used[], PetscInt *num,
                                   PetscInt **simplices)
{
  size_t  *tags = NULL, *nodes = NULL, num_tags, num_nodes;
  PetscInt total;

  PetscFunctionBegin;
  GmshCall(spec, gmshModelMeshGetElementsByType, type, &tags, &num_tags, &nodes, &num_nodes, -1, 0, 1);
  PetscCall(PetscIntCast((PetscInt64)num_nodes, &total));
  PetscCall(PetscMalloc1(total, simplices));
  for (PetscInt i = 0; i < total; i++) {
    (*simplices)[i]       = AbutTagsFind(table, (PetscInt)nodes[i]);
    used[(*simplices)[i]] = PETSC_TRUE;
  }
  *num = total / n;
  p_gmshFree(tags);
  p_gmshFree(nodes);
  PetscFunctionReturn(0);
}

static PetscErrorCode GetGroup(const AbutBodySpec *spec, int dim, int tag, AbutTags *table, AbutGroups *groups)
{
  char    *name = NULL, digits[ABUT_GROUP_NAME];
  size_t  *tags = NULL, num_tags, num_x;
  double  *x    = NULL;
  PetscInt group;

  PetscFunctionBegin;
  GmshCall(spec, gmshModelGetPhysicalName, dim, tag, &name);
  PetscCall(PetscSNPrintf(digits, sizeof(digits), "%d", tag));
  PetscCall(AbutGroupsFind(groups, name && name[0] ? name : digits, &group));
  GmshCall(spec, gmshModelMeshGetNodesForPhysicalGroup, dim, tag, &tags, &num_tags, &x, &num_x);
  for (size_t i = 0; i < num_tags; i++) {
    PetscCall(AbutIntsPush(&groups->marks, 2, (PetscInt[]){group, AbutTagsFind(table, (PetscInt)tags[i])}));
  }
  p_gmshFree(name);
  p_gmshFree(tags);
  p_gmshFree(x);
  PetscFunctionReturn(0);
}

/* ABUT_ERR_INPUT if the mesh has cells that are not linear simplices. */
static PetscErrorCode CheckTypes(const AbutBodySpec *spec, PetscInt dim)
{
  const int wanted = dim == 3 ? 4 : 2;
  int      *types = NULL, bad = 0;
  size_t    num;

  PetscFunctionBegin;
  GmshCall(spec, gmshModelMeshGetElementTypes, &types, &num, (int)dim, -1);
  for (size_t i = 0; i < num; i++) bad = types[i] != wanted ? types[i] : bad;
  p_gmshFree(types);
  AbutSpecCheck(!bad, spec, "%s: element type %d is not supported: cells must be linear %s (type %d)", spec->shape.path, bad,
                dim == 3 ? "tetrahedra" : "triangles", wanted);
  PetscFunctionReturn(0);
}

/* Copies the current model without nodes that belong to no simplex, such as centres of arcs. */
static PetscErrorCode GetModel(const AbutBodySpec *spec, PetscInt dim, AbutTags *table, AbutShape *shape)
{
  PetscBool *used;
  int       *groups = NULL;
  size_t     num_groups;

  PetscFunctionBegin;
  PetscCall(CheckTypes(spec, dim));
  PetscCall(GetNodes(spec, shape, table));
  PetscCall(PetscCalloc1(shape->num_vertices, &used));
  PetscCall(GetSimplices(spec, dim == 3 ? 4 : 2, dim + 1, table, used, &shape->num_cells, &shape->cells));
  if (dim == 3) PetscCall(GetSimplices(spec, 2, 3, table, used, &shape->num_faces, &shape->faces));
  PetscCall(GetSimplices(spec, 1, 2, table, used, &shape->num_edges, &shape->edges));
  GmshCall(spec, gmshModelGetPhysicalGroups, &groups, &num_groups, -1);
  for (size_t i = 0; i + 1 < num_groups; i += 2) PetscCall(GetGroup(spec, groups[i], groups[i + 1], table, &shape->groups));
  p_gmshFree(groups);
  PetscCall(AbutShapeCompact(dim, shape, used));
  PetscCall(PetscFree(used));
  PetscFunctionReturn(0);
}

static PetscErrorCode OpenAndMesh(const AbutBodySpec *spec, PetscInt dim)
{
  const PetscReal size  = spec->shape.mesh_size;
  int            *types = NULL;
  size_t          num;

  PetscFunctionBegin;
  GmshCall(spec, gmshOptionSetNumber, "General.Terminal", 0);
  GmshCall(spec, gmshOptionSetNumber, "General.NumThreads", 1);
  GmshCall(spec, gmshOpen, spec->shape.path);
  GmshCall(spec, gmshModelMeshGetElementTypes, &types, &num, (int)dim, -1);
  p_gmshFree(types);
  if (num) PetscFunctionReturn(0); /* the file already contains a mesh, or the script has generated one */
  if (size > 0) {
    GmshCall(spec, gmshOptionSetNumber, "Mesh.MeshSizeMin", (double)size);
    GmshCall(spec, gmshOptionSetNumber, "Mesh.MeshSizeMax", (double)size);
  }
  GmshCall(spec, gmshOptionSetNumber, "Mesh.ElementOrder", 1);
  GmshCall(spec, gmshModelMeshGenerate, (int)dim);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeReadGmsh(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  const char    *extension = strrchr(spec->shape.path, '.');
  AbutTags       table     = {0};
  PetscErrorCode ierr;
  int            error = 0;

  PetscFunctionBegin;
  PetscCall(AbutScriptCheck(spec));
  PetscCall(LoadLibrary(spec));
#if GMSH_API_VERSION_MAJOR == 4 && GMSH_API_VERSION_MINOR < 9
  p_gmshInitialize(0, NULL, 0, &error);
#else
  p_gmshInitialize(0, NULL, 0, 0, &error);
#endif
  AbutSpecCheck(!error, spec, "%s: libgmsh does not start (error %d)", spec->shape.path, error);
  ierr = OpenAndMesh(spec, dim);
  if (!ierr) ierr = GetModel(spec, dim, &table, shape);
  p_gmshFinalize(&error);
  PetscCall(PetscFree(table.run));
  if (!ierr && dim == 2 && strcmp(extension, ".msh")) AbutShapeOrientCells2D(shape);
  PetscFunctionReturn(ierr);
}

#endif
