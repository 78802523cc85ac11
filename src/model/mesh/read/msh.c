/*
  Reads Gmsh mesh files of ASCII versions 2, 4.0 and 4.1 with linear or quadratic simplices. Quadratic simplices of lower dimension than
  the cells become linear ones on the same nodes. Files may lack $Entities and have sections of other programs. The program abut-gmsh
  turns other files into this format; libgmsh must not read ASCII files, because wrong ones corrupt its memory.

  Rank 0 parses a window of the file and sends nodes and elements to all ranks. Of the whole file it holds the runs of consecutive node
  tags and two bits per node. A node that only a point element (type 15) uses, for example the centre of an arc, is not a vertex. A node
  that no element uses is kept; the check of the body reports it.
*/
#include "read.h"
#include <abut/petsc_versions.h>
#include <string.h>

#define SECTION_NAME 64

typedef struct {
  AbutTextCursor text;
  AbutRowStream *stream;                   /* NULL in a second pass that looks for the line of a node */
  PetscInt       dim, num_elements, wrong; /* wrong: node whose tag is an error, or -1 */
  PetscInt       cell_type;                /* of the cells so far, 0: none */
  PetscBool      modern, draft;            /* modern: version 4, otherwise 2; draft: version 4.0 */
  AbutTags       tags;
  PetscBT        point, used; /* [num nodes] nodes of point elements; nodes of other simplices */
  AbutInts       physicals;   /* triples dimension, physical tag, group, for the physical groups with a name */
  AbutInts       entities;    /* triples dimension, entity tag, physical tag */
  AbutGroups     groups;      /* names; the ranks that receive the elements have the marks */
} Reader;

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
  for (PetscInt i = 0; i < (dim || reader->draft ? 6 : 3); i++) PetscCall(AbutTextReal(text, &box));
  PetscCall(AbutTextInt(text, &num));
  AbutTextCheck(num >= 0 && num <= ABUT_MAX_ROW_GROUPS, text,
                "entity %" PetscInt_FMT " is in %" PetscInt_FMT " physical groups, at most %d are read", tag, num, ABUT_MAX_ROW_GROUPS);
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

/* Reads the tag of the next node. */
static PetscErrorCode ReadTag(Reader *reader)
{
  PetscInt tag;

  PetscFunctionBegin;
  PetscCall(AbutTextInt(&reader->text, &tag));
  AbutTextCheck(reader->tags.num != reader->wrong, &reader->text, "node tag %" PetscInt_FMT " occurs twice", tag);
  PetscCall(AbutTagsPush(&reader->tags, tag));
  PetscFunctionReturn(0);
}

/* Reads the position of node i of `total` nodes. */
static PetscErrorCode ReadPoint(Reader *reader, PetscInt i, PetscInt total)
{
  PetscReal point[3];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < 3; d++) {
    PetscCall(AbutTextReal(&reader->text, &point[d]));
    AbutTextCheck(PetscAbsReal(point[d]) <= ABUT_COORDINATE_MAX, &reader->text,
                  "coordinate %" PetscInt_FMT " of vertex %" PetscInt_FMT " is %g; it must be in [%g, %g]", d, i, (double)point[d],
                  -ABUT_COORDINATE_MAX, ABUT_COORDINATE_MAX);
  }
  if (reader->stream) PetscCall(AbutRowStreamPutVertex(reader->stream, i, total, point));
  PetscFunctionReturn(0);
}

/* Reads the four numbers of a block of version 4: dimension and tag of its entity, flag or element type, number of entries. */
static PetscErrorCode ReadBlockHead(Reader *reader, PetscInt head[4])
{
  PetscFunctionBegin;
  PetscCall(AbutTextInts(&reader->text, 4, head));
  if (reader->draft) {
    const PetscInt tag = head[0];

    head[0] = head[1];
    head[1] = tag;
  }
  PetscFunctionReturn(0);
}

/*
  Reads a node block of version 4: all tags, then all coordinates, in version 4.0 each tag with its coordinates. Parametric coordinates
  follow if the header has the flag.
*/
static PetscErrorCode ReadNodeBlock(Reader *reader, PetscInt total)
{
  AbutTextCursor *text = &reader->text;
  PetscInt        head[4], first = reader->tags.num;
  PetscReal       parameter;

  PetscFunctionBegin;
  PetscCall(ReadBlockHead(reader, head));
  for (PetscInt i = 0; i < head[3] && !reader->draft; i++) PetscCall(ReadTag(reader));
  for (PetscInt i = 0; i < head[3]; i++) {
    if (reader->draft) PetscCall(ReadTag(reader));
    PetscCall(ReadPoint(reader, first + i, total));
    for (PetscInt p = 0; head[2] && p < head[0]; p++) PetscCall(AbutTextReal(text, &parameter));
  }
  PetscFunctionReturn(0);
}

/* Checks the end of a section with `found` nodes or elements (`what`), of which the header states `total`. */
static PetscErrorCode CheckEnd(Reader *reader, const char what[], PetscInt found, PetscInt total)
{
  AbutTextCursor *text = &reader->text;

  PetscFunctionBegin;
  AbutTextCheck(found == total, text, "the blocks have %" PetscInt_FMT " %s, their header states %" PetscInt_FMT, found, what, total);
  while (!AbutTextMore(text) && *text->at) AbutTextNextLine(text);
  AbutTextCheck(*text->at, text, "the file ends within its %s: it is truncated", what);
  AbutTextCheck(*text->at == '$', text, "more %s follow than the %" PetscInt_FMT " that the header states", what, total);
  PetscFunctionReturn(0);
}

/* Numbers at the start of $Nodes and $Elements: of blocks and entries, in version 4.1 also the range of tags; in version 2 of entries. */
static PetscInt SectionHead(const Reader *reader)
{
  return reader->draft ? 2 : reader->modern ? 4 : 1;
}

static PetscErrorCode ReadNodes(Reader *reader)
{
  AbutTextCursor *text = &reader->text;
  PetscInt        head[4], total;

  PetscFunctionBegin;
  AbutTextCheck(!reader->used, text, "%s", "a second $Nodes");
  PetscCall(AbutTextInts(text, SectionHead(reader), head));
  total = head[reader->modern ? 1 : 0];
  for (PetscInt i = 0; i < head[0]; i++) {
    if (reader->modern) {
      PetscCall(ReadNodeBlock(reader, total));
      continue;
    }
    PetscCall(ReadTag(reader));
    PetscCall(ReadPoint(reader, i, total));
  }
  PetscCall(CheckEnd(reader, "nodes", reader->tags.num, total));
  PetscCall(PetscBTCreate(reader->tags.num, &reader->point));
  PetscCall(PetscBTCreate(reader->tags.num, &reader->used));
  reader->wrong = AbutTagsSort(&reader->tags);
  PetscFunctionReturn(0);
}

/* ABUT_ERR_INPUT for a linear cell behind quadratic ones or the reverse. */
static PetscErrorCode CheckOrder(Reader *reader, PetscInt type)
{
  PetscFunctionBegin;
  if (AbutGmshCorners(type) != reader->dim + 1) PetscFunctionReturn(0);
  AbutTextCheck(!reader->cell_type || reader->cell_type == type, &reader->text,
                "a cell of type %" PetscInt_FMT " follows cells of type %" PetscInt_FMT
                ": all cells of a file must be linear or all must be quadratic",
                type, reader->cell_type);
  reader->cell_type = type;
  PetscFunctionReturn(0);
}

/* Sends the linear parts of a quadratic line or triangle. */
static PetscErrorCode PutParts(Reader *reader, PetscInt total, PetscInt corners, const PetscInt v[], PetscInt num_groups,
                               const PetscInt groups[])
{
  PetscInt parts[12];

  PetscFunctionBegin;
  AbutSetParts(corners, v, parts);
  for (PetscInt i = 0; i < AbutNumParts(corners); i++)
    PetscCall(AbutRowStreamPutSimplex(reader->stream, reader->num_elements, total, corners, &parts[corners * i], num_groups, groups));
  PetscFunctionReturn(0);
}

/* Reads the nodes of an element of `total` elements and sends it. */
static PetscErrorCode ReadSimplex(Reader *reader, PetscInt total, PetscInt type, PetscInt num_groups, const PetscInt groups[])
{
  const PetscInt corners = AbutGmshCorners(type), n = AbutGmshNodes(type);
  PetscInt       tag, v[ABUT_MAX_ROW_NODES]         = {0};

  PetscFunctionBegin;
  PetscCall(CheckOrder(reader, type));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt k = n == 10 && i > 7 ? 17 - i : i; /* Gmsh has edge 23 before edge 13 */

    PetscCall(AbutTextInt(&reader->text, &tag));
    v[k] = AbutTagsFind(&reader->tags, tag);
    AbutTextCheck(v[k] >= 0, &reader->text, "an element names node %" PetscInt_FMT ", which is not in $Nodes", tag);
    if (corners <= reader->dim + 1) PetscCall(PetscBTSet(n == 1 ? reader->point : reader->used, v[k]));
  }
  if (n > corners && corners <= reader->dim)
    PetscCall(PutParts(reader, total, corners, v, num_groups, groups));
  else
    PetscCall(AbutRowStreamPutSimplex(reader->stream, reader->num_elements, total, n, v, num_groups, groups));
  PetscFunctionReturn(0);
}

/* ABUT_ERR_INPUT if the type has the dimension of the mesh but is no such simplex; other elements of lower dimension are skipped. */
static PetscErrorCode CheckType(Reader *reader, PetscInt type)
{
  PetscFunctionBegin;
  AbutTextCheck(AbutGmshCorners(type) || AbutGmshDimension(type) < reader->dim, &reader->text,
                "element type %" PetscInt_FMT " is not read: cells must be linear or quadratic %s (type %d or %d)", type,
                reader->dim == 3 ? "tetrahedra" : "triangles", reader->dim == 3 ? 4 : 2, reader->dim == 3 ? 11 : 9);
  AbutTextCheck(AbutGmshDimension(type) >= 0, &reader->text, "element type %" PetscInt_FMT " is unknown", type);
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadElementBlock(Reader *reader, PetscInt total)
{
  PetscInt head[4], tag, num_groups = 0, groups[ABUT_MAX_ROW_GROUPS];

  PetscFunctionBegin;
  PetscCall(ReadBlockHead(reader, head));
  PetscCall(CheckType(reader, head[2]));
  for (PetscInt e = 0; e < reader->entities.n; e += 3) {
    const PetscInt *entity = &reader->entities.a[e];
    if (entity[0] == head[0] && entity[1] == head[1] && num_groups < ABUT_MAX_ROW_GROUPS)
      PetscCall(PhysicalGroup(reader, entity[0], entity[2], &groups[num_groups++]));
  }
  AbutTextNextLine(&reader->text);
  for (PetscInt i = 0; i < head[3]; i++, reader->num_elements++) {
    PetscCall(AbutTextInt(&reader->text, &tag));
    if (AbutGmshCorners(head[2])) PetscCall(ReadSimplex(reader, total, head[2], num_groups, groups));
    AbutTextNextLine(&reader->text);
  }
  PetscFunctionReturn(0);
}

/* Reads an element line of version 2: tag, type, number of tags, tags (the first is the physical tag), nodes. */
static PetscErrorCode ReadElementLine(Reader *reader, PetscInt total)
{
  PetscInt  head[3], tag, physical = 0, group = 0;
  PetscBool simplex;

  PetscFunctionBegin;
  PetscCall(AbutTextInts(&reader->text, 3, head));
  PetscCall(CheckType(reader, head[1]));
  simplex = (PetscBool)(AbutGmshCorners(head[1]) > 0);
  for (PetscInt i = 0; i < head[2]; i++) {
    PetscCall(AbutTextInt(&reader->text, &tag));
    if (i == 0) physical = tag;
  }
  if (simplex && physical) PetscCall(PhysicalGroup(reader, AbutGmshDimension(head[1]), physical, &group));
  if (simplex) PetscCall(ReadSimplex(reader, total, head[1], physical ? 1 : 0, &group));
  reader->num_elements++;
  AbutTextNextLine(&reader->text);
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadElements(Reader *reader)
{
  const PetscInt first = reader->num_elements;
  PetscInt       head[4], total;

  PetscFunctionBegin;
  AbutTextCheck(reader->used, &reader->text, "%s", "$Elements comes before $Nodes");
  PetscCall(AbutTextInts(&reader->text, SectionHead(reader), head));
  total = head[reader->modern ? 1 : 0];
  for (PetscInt i = 0; i < head[0]; i++) PetscCall(reader->modern ? ReadElementBlock(reader, total) : ReadElementLine(reader, total));
  PetscCall(CheckEnd(reader, "elements", reader->num_elements - first, total));
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

/* Moves the cursor behind the end of the section $Name, or of the file if it has none. */
static void SkipSection(AbutTextCursor *text, const char name[SECTION_NAME])
{
  char word[SECTION_NAME + 4], end[SECTION_NAME + 4];

  (void)snprintf(end, sizeof(end), "$End%s", name + 1);
  while (*text->at) {
    const PetscBool found = (PetscBool)(AbutTextWord(text, sizeof(word), word) && !strcmp(word, end));

    AbutTextNextLine(text);
    if (found) return;
  }
}

/* Moves the cursor behind "$MeshFormat", before which comments and a byte order mark may be. */
static PetscErrorCode FindFormat(AbutTextCursor *text)
{
  char      name[SECTION_NAME] = "";
  PetscBool more;

  PetscFunctionBegin;
  if (!strncmp(text->at, "\xef\xbb\xbf", 3)) text->at += 3;
  while ((more = NextSection(text, name)) && !strcmp(name, "$Comments")) SkipSection(text, name);
  AbutTextCheck(more && !strcmp(name, "$MeshFormat"), text, "%s", "not a Gmsh mesh: it does not start with $MeshFormat");
  PetscFunctionReturn(0);
}

/* Reads $MeshFormat. *understood: whether the file is in ASCII; libgmsh reads binary ones. */
static PetscErrorCode ReadFormat(Reader *reader, PetscBool *understood)
{
  PetscReal version;
  PetscInt  binary;

  PetscFunctionBegin;
  PetscCall(FindFormat(&reader->text));
  PetscCall(AbutTextReal(&reader->text, &version));
  PetscCall(AbutTextInt(&reader->text, &binary));
  *understood    = (PetscBool)!binary;
  reader->draft  = (PetscBool)(PetscAbsReal(version - 4) < 1e-6);
  reader->modern = (PetscBool)(reader->draft || PetscAbsReal(version - 4.1) < 1e-6);
  AbutTextCheck(reader->modern || (version >= 2 && version < 3), &reader->text,
                "version %g of the format is not read; valid are 2 to 2.2, 4.0 and 4.1", (double)version);
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadSection(Reader *reader, const char name[SECTION_NAME])
{
  PetscFunctionBegin;
  if (!strcmp(name, "$PhysicalNames"))
    PetscCall(ReadPhysicalNames(reader));
  else if (!strcmp(name, "$Entities"))
    PetscCall(ReadEntities(reader));
  else if (!strcmp(name, "$Nodes"))
    PetscCall(ReadNodes(reader));
  else if (!strcmp(name, "$Elements"))
    PetscCall(ReadElements(reader));
  else
    SkipSection(&reader->text, name);
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadSections(Reader *reader, PetscBool *understood)
{
  char      name[SECTION_NAME];
  PetscBool elements = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(ReadFormat(reader, understood));
  if (!*understood) PetscFunctionReturn(0);
  while (NextSection(&reader->text, name) && (reader->wrong < 0 || !reader->used)) {
    PetscCall(ReadSection(reader, name));
    elements = (PetscBool)(elements || !strcmp(name, "$Elements"));
  }
  PetscCall(AbutTextCheckRead(&reader->text));
  AbutTextCheck(reader->used, &reader->text, "%s", "the file has no $Nodes");
  AbutTextCheck(elements || reader->wrong >= 0 || !reader->stream->marks, &reader->text, "%s", "the file has no $Elements");
  PetscFunctionReturn(0);
}

static PetscErrorCode FreeReader(Reader *reader)
{
  PetscFunctionBegin;
  PetscCall(AbutTextClose(&reader->text));
  PetscCall(PetscFree(reader->tags.run));
  PetscCall(PetscBTDestroy(&reader->point));
  PetscCall(PetscBTDestroy(&reader->used));
  PetscCall(PetscFree(reader->physicals.a));
  PetscCall(PetscFree(reader->entities.a));
  PetscCall(AbutGroupsFree(&reader->groups));
  PetscFunctionReturn(0);
}

/* The error for a node whose tag occurs twice: reads the file again up to its line. */
static PetscErrorCode TagError(const Reader *reader)
{
  Reader         again = {.dim = reader->dim, .wrong = reader->wrong};
  PetscBool      understood;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  ierr = AbutTextOpen(reader->text.spec, reader->text.path, NULL, &again.text);
  if (!ierr) ierr = ReadSections(&again, &understood);
  PetscCall(FreeReader(&again));
  PetscFunctionReturn(ierr);
}

/* Parses the file on rank 0. dropped: nodes that are no vertices. */
static PetscErrorCode Parse(Reader *reader, const AbutBodySpec *spec, FILE *data, PetscBool *understood, AbutInts *dropped)
{
  PetscFunctionBegin;
  PetscCall(AbutTextOpen(spec, spec->shape.path, data, &reader->text));
  PetscCall(ReadSections(reader, understood));
  AbutSpecCheck(reader->wrong < 0 || !data, spec, "%s: a node tag occurs twice", spec->shape.path);
  if (reader->wrong >= 0) PetscCall(TagError(reader));
  for (PetscInt i = 0; i < reader->tags.num && reader->num_elements; i++)
    if (PetscBTLookup(reader->point, i) && !PetscBTLookup(reader->used, i)) PetscCall(AbutIntsPush(dropped, 1, &i));
  PetscFunctionReturn(0);
}

/* Parses and sends the file on rank 0, receives it on the others. */
static PetscErrorCode ParseAndSend(const AbutBodySpec *spec, PetscInt dim, FILE *data, AbutRowStream *stream, AbutShape *shape,
                                   PetscBool *understood, AbutInts *dropped)
{
  Reader         reader = {.stream = stream, .dim = dim, .wrong = -1};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (stream->rank) {
    PetscCall(AbutRowStreamReceive(stream));
    PetscFunctionReturn(0);
  }
  ierr = Parse(&reader, spec, data, understood, dropped);
  PetscCall(AbutRowStreamEnd(stream));
  shape->groups = reader.groups;
  reader.groups = (AbutGroups){0};
  PetscCall(FreeReader(&reader));
  PetscFunctionReturn(ierr);
}

PetscErrorCode AbutShapeReadMsh(MPI_Comm comm, const AbutBodySpec *spec, PetscInt dim, AbutFileParts parts, FILE *data, AbutShape *shape,
                                PetscBool *understood)
{
  AbutRowStream  stream;
  AbutInts       dropped = {0};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutRowStreamBegin(comm, &stream));
  for (PetscInt n = 2; n <= dim + 1; n++)
    stream.keep[n] = (PetscBool)(parts == ABUT_FILE_ALL || (parts == ABUT_FILE_CELLS && n == dim + 1));
  stream.keep[dim + 1 + AbutNumCellEdges(dim)] = (PetscBool)(parts != ABUT_FILE_VERTICES);
  stream.marks                                 = (PetscBool)(parts != ABUT_FILE_VERTICES);
  stream.cells                                 = (PetscBool)(stream.marks && spec->num_regions > 0);
  stream.edges                                 = (PetscBool)(stream.marks && spec->shape.order == 2);
  ierr                                         = AbutAgree(comm, ParseAndSend(spec, dim, data, &stream, shape, understood, &dropped));
  if (!ierr) PetscCallMPI(MPI_Bcast(understood, 1, AbutMPIBool, 0, comm));
  if (!ierr && *understood) PetscCall(AbutRowStreamFinish(&stream, dim, &dropped, shape));
  PetscCall(AbutRowStreamFree(&stream));
  PetscCall(PetscFree(dropped.a));
  PetscFunctionReturn(ierr);
}
