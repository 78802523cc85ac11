/*
  Reads Gmsh mesh files of ASCII versions 2 and 4.1 with linear simplices. Unlike libgmsh, it accepts files without $Entities and files with
  sections of other programs. libgmsh reads all other versions.

  A node that only a point element (type 15) uses, for example the centre of an arc, is not a vertex. A node that no element uses is kept;
  the check of the body reports it.
*/
#include "meshimpl.h"
#include <string.h>

#define SECTION_NAME      64
#define MAX_ENTITY_GROUPS 64 /* physical groups an entity may belong to */

typedef struct {
  AbutTextCursor text;
  PetscInt       dim;
  PetscBool      modern; /* version 4.1, otherwise 2 */
  AbutReals      x;
  AbutInts       tags;
  PetscHMapI     table;
  AbutInts       simplices[5]; /* [n]: vertices of the simplices with n vertices */
  AbutInts       physicals;    /* triples dimension, physical tag, group, for the physical groups with a name */
  AbutInts       entities;     /* triples dimension, entity tag, physical tag */
  PetscInt      *marked;       /* [num nodes] last group that the node was added to, to avoid repetitions */
  AbutGroups     groups;
} Reader;

/* Number of vertices of an element type of Gmsh if it is a linear simplex, 0 otherwise. */
static PetscInt SimplexVertices(PetscInt type)
{
  return type == 15 ? 1 : type == 1 ? 2 : type == 2 ? 3 : type == 4 ? 4 : 0;
}

/* Dimension of an element type, -1 if unknown. */
static PetscInt TypeDimension(PetscInt type)
{
  static const signed char dimension[20] = {-1, 1, 2, 2, 3, 3, 3, 3, 1, 2, 2, 3, 3, 3, 3, 0, 2, 3, 3, 3};
  return type >= 0 && type < 20 ? dimension[type] : -1;
}

/* Index of the group of a physical tag; its name, or the digits of the tag if it has none. */
static PetscErrorCode PhysicalGroup(Reader *reader, PetscInt dim, PetscInt tag, PetscInt *group)
{
  char digits[ABUT_GROUP_NAME];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < reader->physicals.n; i += 3) {
    const PetscInt *physical = &reader->physicals.a[i];
    if (physical[0] != dim || physical[1] != tag) continue;
    *group = physical[2];
    PetscFunctionReturn(0);
  }
  PetscCall(PetscSNPrintf(digits, sizeof(digits), "%" PetscInt_FMT, tag));
  PetscCall(AbutGroupsFind(&reader->groups, digits, group));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadPhysicalNames(Reader *reader)
{
  AbutTextCursor *text = &reader->text;
  PetscInt        num, physical[3];

  PetscFunctionBegin;
  PetscCall(AbutTextInt(text, &num));
  for (PetscInt i = 0; i < num; i++) {
    char *open, *close;

    PetscCall(AbutTextInts(text, 2, physical));
    open  = AbutTextMore(text) && *text->at == '"' ? text->at + 1 : NULL;
    close = open ? strchr(open, '"') : NULL;
    AbutTextCheck(close, text, "a physical name in double quotes is expected after dimension %" PetscInt_FMT " and tag %" PetscInt_FMT,
                  physical[0], physical[1]);
    *close = '\0';
    PetscCall(AbutGroupsFind(&reader->groups, open, &physical[2]));
    *close = '"';
    PetscCall(AbutIntsPush(&reader->physicals, 3, physical));
    AbutTextNextLine(text);
  }
  PetscFunctionReturn(0);
}

/* Reads a line of $Entities and stores its physical tags. */
static PetscErrorCode ReadEntity(Reader *reader, PetscInt dim)
{
  AbutTextCursor *text = &reader->text;
  PetscInt        tag, num, physical;
  PetscReal       box;

  PetscFunctionBegin;
  PetscCall(AbutTextInt(text, &tag));
  for (PetscInt i = 0; i < (dim ? 6 : 3); i++) PetscCall(AbutTextReal(text, &box));
  PetscCall(AbutTextInt(text, &num));
  AbutTextCheck(num >= 0 && num <= MAX_ENTITY_GROUPS, text,
                "entity %" PetscInt_FMT " is in %" PetscInt_FMT " physical groups, at most %d are read", tag, num, MAX_ENTITY_GROUPS);
  for (PetscInt i = 0; i < num; i++) {
    PetscCall(AbutTextInt(text, &physical));
    PetscCall(AbutIntsPush(&reader->entities, 3, (PetscInt[]){dim, tag, PetscAbsInt(physical)}));
  }
  AbutTextNextLine(text);
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadEntities(Reader *reader)
{
  PetscInt num[4];

  PetscFunctionBegin;
  if (!reader->modern) PetscFunctionReturn(0);
  PetscCall(AbutTextInts(&reader->text, 4, num));
  for (PetscInt dim = 0; dim < 4; dim++)
    for (PetscInt i = 0; i < num[dim]; i++) PetscCall(ReadEntity(reader, dim));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadPoint(AbutTextCursor *text, AbutReals *x)
{
  PetscReal point[3];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < 3; d++) PetscCall(AbutTextReal(text, &point[d]));
  PetscCall(AbutRealsPush(x, 3, point));
  PetscFunctionReturn(0);
}

/* Reads a node block of version 4.1: all tags, then all coordinates, followed by parametric coordinates if the header has the flag. */
static PetscErrorCode ReadNodeBlock(Reader *reader)
{
  AbutTextCursor *text = &reader->text;
  PetscInt        head[4], tag;
  PetscReal       parameter;

  PetscFunctionBegin;
  PetscCall(AbutTextInts(text, 4, head));
  for (PetscInt i = 0; i < head[3]; i++) {
    PetscCall(AbutTextInt(text, &tag));
    PetscCall(AbutIntsPush(&reader->tags, 1, &tag));
  }
  for (PetscInt i = 0; i < head[3]; i++) {
    PetscCall(ReadPoint(text, &reader->x));
    for (PetscInt p = 0; head[2] && p < head[0]; p++) PetscCall(AbutTextReal(text, &parameter));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadNodes(Reader *reader)
{
  AbutTextCursor *text = &reader->text;
  PetscInt        head[4], tag;

  PetscFunctionBegin;
  PetscCall(AbutTextInts(text, reader->modern ? 4 : 1, head));
  for (PetscInt i = 0; i < head[0]; i++) {
    if (reader->modern) {
      PetscCall(ReadNodeBlock(reader));
      continue;
    }
    PetscCall(AbutTextInt(text, &tag));
    PetscCall(AbutIntsPush(&reader->tags, 1, &tag));
    PetscCall(ReadPoint(text, &reader->x));
  }
  PetscCall(AbutTagsCreate(text->spec, reader->tags.n, reader->tags.a, &reader->table));
  PetscCall(PetscMalloc1(reader->tags.n, &reader->marked));
  for (PetscInt i = 0; i < reader->tags.n; i++) reader->marked[i] = -1;
  PetscFunctionReturn(0);
}

/* Reads the nodes of an element and adds it to the simplices and to its groups. */
static PetscErrorCode ReadSimplex(Reader *reader, PetscInt n, PetscInt num_groups, const PetscInt groups[])
{
  PetscInt tag, v[4] = {0, 0, 0, 0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(AbutTextInt(&reader->text, &tag));
    PetscCall(PetscHMapIGet(reader->table, tag, &v[i]));
    AbutTextCheck(v[i] >= 0, &reader->text, "an element names node %" PetscInt_FMT ", which is not in $Nodes", tag);
    for (PetscInt g = 0; g < num_groups; g++) {
      if (reader->marked[v[i]] == groups[g]) continue;
      reader->marked[v[i]] = groups[g];
      PetscCall(AbutIntsPush(&reader->groups.marks, 2, (PetscInt[]){groups[g], v[i]}));
    }
  }
  PetscCall(AbutIntsPush(&reader->simplices[n], n, v));
  PetscFunctionReturn(0);
}

/* ABUT_ERR_INPUT if the type has the dimension of the mesh but is no linear simplex; other elements of lower dimension are skipped. */
static PetscErrorCode CheckType(Reader *reader, PetscInt type)
{
  PetscFunctionBegin;
  AbutTextCheck(SimplexVertices(type) || TypeDimension(type) < reader->dim, &reader->text,
                "element type %" PetscInt_FMT " is not read: cells must be linear %s (type %d)", type,
                reader->dim == 3 ? "tetrahedra" : "triangles", reader->dim == 3 ? 4 : 2);
  AbutTextCheck(TypeDimension(type) >= 0, &reader->text, "element type %" PetscInt_FMT " is unknown", type);
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadElementBlock(Reader *reader)
{
  PetscInt head[4], tag, n, num_groups = 0, groups[MAX_ENTITY_GROUPS];

  PetscFunctionBegin;
  PetscCall(AbutTextInts(&reader->text, 4, head));
  PetscCall(CheckType(reader, head[2]));
  n = SimplexVertices(head[2]);
  for (PetscInt e = 0; e < reader->entities.n; e += 3) {
    const PetscInt *entity = &reader->entities.a[e];
    if (entity[0] == head[0] && entity[1] == head[1] && num_groups < MAX_ENTITY_GROUPS)
      PetscCall(PhysicalGroup(reader, entity[0], entity[2], &groups[num_groups++]));
  }
  AbutTextNextLine(&reader->text);
  for (PetscInt i = 0; i < head[3]; i++) {
    if (n) {
      PetscCall(AbutTextInt(&reader->text, &tag));
      PetscCall(ReadSimplex(reader, n, num_groups, groups));
    }
    AbutTextNextLine(&reader->text);
  }
  PetscFunctionReturn(0);
}

/* Reads an element line of version 2: tag, type, number of tags, tags (the first is the physical tag), nodes. */
static PetscErrorCode ReadElementLine(Reader *reader)
{
  PetscInt head[3], tag, physical = 0, group = 0, n;

  PetscFunctionBegin;
  PetscCall(AbutTextInts(&reader->text, 3, head));
  PetscCall(CheckType(reader, head[1]));
  n = SimplexVertices(head[1]);
  for (PetscInt i = 0; i < head[2]; i++) {
    PetscCall(AbutTextInt(&reader->text, &tag));
    if (i == 0) physical = tag;
  }
  if (n && physical) PetscCall(PhysicalGroup(reader, TypeDimension(head[1]), physical, &group));
  if (n) PetscCall(ReadSimplex(reader, n, physical ? 1 : 0, &group));
  AbutTextNextLine(&reader->text);
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadElements(Reader *reader)
{
  PetscInt head[4];

  PetscFunctionBegin;
  AbutTextCheck(reader->marked, &reader->text, "%s", "$Elements comes before $Nodes");
  PetscCall(AbutTextInts(&reader->text, reader->modern ? 4 : 1, head));
  for (PetscInt i = 0; i < head[0]; i++) PetscCall(reader->modern ? ReadElementBlock(reader) : ReadElementLine(reader));
  PetscFunctionReturn(0);
}

/* Moves the cursor behind the next line "$Name" that starts a section; false at the end of the file. */
static PetscBool NextSection(AbutTextCursor *text, char name[SECTION_NAME])
{
  while (*text->at) {
    if (*text->at == '$' && strncmp(text->at, "$End", 4)) {
      (void)AbutTextWord(text, SECTION_NAME, name);
      AbutTextNextLine(text);
      return PETSC_TRUE;
    }
    AbutTextNextLine(text);
  }
  return PETSC_FALSE;
}

static PetscErrorCode ReadSections(Reader *reader, PetscBool *understood)
{
  char      name[SECTION_NAME];
  PetscReal version;
  PetscInt  binary;

  PetscFunctionBegin;
  *understood = PETSC_TRUE;
  AbutTextCheck(NextSection(&reader->text, name) && !strcmp(name, "$MeshFormat"), &reader->text, "%s",
                "not a Gmsh mesh: it does not start with $MeshFormat");
  PetscCall(AbutTextReal(&reader->text, &version));
  PetscCall(AbutTextInt(&reader->text, &binary));
  reader->modern = (PetscBool)(PetscAbsReal(version - 4.1) < 1e-6);
  if (binary || (!reader->modern && !(version >= 2 && version < 3))) {
    *understood = PETSC_FALSE;
    PetscFunctionReturn(0);
  }
  while (NextSection(&reader->text, name)) {
    if (!strcmp(name, "$PhysicalNames"))
      PetscCall(ReadPhysicalNames(reader));
    else if (!strcmp(name, "$Entities"))
      PetscCall(ReadEntities(reader));
    else if (!strcmp(name, "$Nodes"))
      PetscCall(ReadNodes(reader));
    else if (!strcmp(name, "$Elements"))
      PetscCall(ReadElements(reader));
  }
  AbutTextCheck(reader->marked, &reader->text, "%s", "the file has no $Nodes");
  PetscFunctionReturn(0);
}

/* Transfers the arrays to the shape and removes nodes that only point elements use. */
static PetscErrorCode FinishShape(Reader *reader, AbutShape *shape)
{
  PetscBool *keep;

  PetscFunctionBegin;
  shape->num_vertices = reader->tags.n;
  shape->x            = reader->x.a;
  shape->num_edges    = reader->simplices[2].n / 2;
  shape->edges        = reader->simplices[2].a;
  shape->groups       = reader->groups;
  if (reader->dim == 3) {
    shape->num_cells = reader->simplices[4].n / 4;
    shape->cells     = reader->simplices[4].a;
  } else {
    PetscCall(PetscFree(reader->simplices[4].a));
  }
  AbutShapeSetTriangles(reader->dim, &reader->simplices[3], shape);
  PetscCall(PetscMalloc1(shape->num_vertices, &keep));
  for (PetscInt i = 0; i < shape->num_vertices; i++) keep[i] = PETSC_TRUE;
  for (PetscInt i = 0; i < reader->simplices[1].n; i++) keep[reader->simplices[1].a[i]] = PETSC_FALSE;
  for (PetscInt n = 2; n <= reader->dim + 1; n++)
    for (PetscInt i = 0; i < reader->simplices[n].n; i++) keep[reader->simplices[n].a[i]] = PETSC_TRUE;
  if (shape->num_cells + shape->num_faces + shape->num_edges) PetscCall(AbutShapeCompact(reader->dim, shape, keep));
  PetscCall(PetscFree(keep));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeReadMsh(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape, PetscBool *understood)
{
  Reader         reader = {.dim = dim};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutTextRead(spec, spec->shape.path, &reader.text));
  ierr = ReadSections(&reader, understood);
  PetscCall(PetscFree(reader.text.begin));
  PetscCall(PetscHMapIDestroy(&reader.table));
  PetscCall(PetscFree(reader.physicals.a));
  PetscCall(PetscFree(reader.marked));
  PetscCall(PetscFree(reader.tags.a));
  PetscCall(PetscFree(reader.entities.a));
  if (!ierr && *understood) {
    ierr = FinishShape(&reader, shape);
  } else {
    PetscCall(PetscFree(reader.x.a));
    for (PetscInt n = 2; n < 5; n++) PetscCall(PetscFree(reader.simplices[n].a));
    PetscCall(AbutGroupsFree(&reader.groups));
  }
  PetscCall(PetscFree(reader.simplices[1].a));
  PetscFunctionReturn(ierr);
}
