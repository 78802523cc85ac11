/*
  Surface files: .obj (v, f, l), .seg (v, s), .pt (v). Vertex numbers in f, l and s start at 1; negative ones count from the last vertex.
  If a .seg or .pt file does not exist, the edges or vertices of the .obj file of the same name are used.
*/
#include "read.h"
#include <string.h>
#include <unistd.h>

#define MAX_CORNERS 64 /* largest number of corners of a polygon */

typedef struct {
  AbutTextCursor text;
  AbutReals      x;
  AbutInts       triangles, segments;
} Reader;

/* Reads the vertex numbers of a line (i, i/j, i/j/k, i//k) and returns them starting at 0; skips texture and normal numbers. */
static PetscErrorCode ReadCorners(Reader *reader, PetscInt *n, PetscInt corners[MAX_CORNERS])
{
  AbutTextCursor *text = &reader->text;
  const PetscInt  num  = reader->x.n / 3;
  char            word[64];
  PetscInt        index, v;

  PetscFunctionBegin;
  *n = 0;
  while (AbutTextMore(text)) {
    AbutTextCheck(*n < MAX_CORNERS, text, "a polygon has more than %d corners", MAX_CORNERS);
    PetscCall(AbutTextInt(text, &index));
    if (*text->at == '/') (void)AbutTextWord(text, sizeof(word), word);
    v = index < 0 ? num + index : index - 1;
    AbutTextCheck(v >= 0 && v < num, text,
                  "vertex number %" PetscInt_FMT " is out of range; valid are 1 to %" PetscInt_FMT ", or -%" PetscInt_FMT
                  " to -1 counted from the last vertex",
                  index, num, num);
    corners[(*n)++] = v;
  }
  PetscFunctionReturn(0);
}

/* Reads a line; divides polygons into triangles and polylines into segments. */
static PetscErrorCode ReadLine(Reader *reader, const char word[])
{
  PetscInt  n, c[MAX_CORNERS];
  PetscReal point[3] = {0, 0, 0};

  PetscFunctionBegin;
  if (!strcmp(word, "v")) {
    for (PetscInt d = 0; d < 3; d++) {
      if (d == 2 && !AbutTextMore(&reader->text)) break; /* z is optional */
      PetscCall(AbutTextReal(&reader->text, &point[d]));
    }
    PetscCall(AbutRealsPush(&reader->x, 3, point));
  } else if (!strcmp(word, "f")) {
    PetscCall(ReadCorners(reader, &n, c));
    AbutTextCheck(n >= 3, &reader->text, "a face has %" PetscInt_FMT " corners, at least 3 are needed", n);
    for (PetscInt i = 2; i < n; i++) PetscCall(AbutIntsPush(&reader->triangles, 3, (PetscInt[]){c[0], c[i - 1], c[i]}));
  } else if (!strcmp(word, "s") || !strcmp(word, "l")) {
    PetscCall(ReadCorners(reader, &n, c));
    AbutTextCheck(n >= 2, &reader->text, "a segment has %" PetscInt_FMT " ends, at least 2 are needed", n);
    for (PetscInt i = 1; i < n; i++) PetscCall(AbutIntsPush(&reader->segments, 2, &c[i - 1]));
  }
  PetscFunctionReturn(0);
}

/* Reads all lines. The letter s starts a smoothing group in .obj files, a segment in .seg files. */
static PetscErrorCode ReadLines(Reader *reader, PetscBool is_obj)
{
  char word[16];

  PetscFunctionBegin;
  for (; *reader->text.at; AbutTextNextLine(&reader->text)) {
    if (!AbutTextWord(&reader->text, sizeof(word), word)) continue;
    if (is_obj && !strcmp(word, "s")) continue;
    PetscCall(ReadLine(reader, word));
  }
  PetscCall(AbutTextCheckRead(&reader->text));
  AbutTextCheck(reader->x.n, &reader->text, "%s", "the file has no vertices (lines \"v x y z\")");
  PetscFunctionReturn(0);
}

/* Adds the edges of all triangles; AbutShapeKeepSurface() removes duplicates. */
static PetscErrorCode TrianglesToSegments(Reader *reader)
{
  PetscFunctionBegin;
  for (PetscInt t = 0; t < reader->triangles.n; t += 3)
    for (PetscInt i = 0; i < 3; i++)
      PetscCall(AbutIntsPush(&reader->segments, 2, (PetscInt[]){reader->triangles.a[t + i], reader->triangles.a[t + (i + 1) % 3]}));
  PetscFunctionReturn(0);
}

/* Chooses the file to read: `path`, or the .obj file of the same name if `path` does not exist. */
static PetscErrorCode ChooseFile(const char path[], size_t n, char chosen[], PetscBool *is_obj)
{
  char *dot;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(chosen, path, n));
  dot     = strrchr(chosen, '.');
  *is_obj = (PetscBool)(!strcmp(dot, ".obj"));
  if (*is_obj || !access(chosen, F_OK)) PetscFunctionReturn(0);
  PetscCall(PetscStrncpy(dot, ".obj", n - (size_t)(dot - chosen)));
  *is_obj = (PetscBool)(!access(chosen, F_OK));
  if (!*is_obj) PetscCall(PetscStrncpy(chosen, path, n));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeReadSurface(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  const char    *extension = strrchr(spec->shape.path, '.');
  char           chosen[PETSC_MAX_PATH_LEN];
  Reader         reader = {0};
  PetscBool      is_obj = PETSC_FALSE;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(ChooseFile(spec->shape.path, sizeof(chosen), chosen, &is_obj));
  ierr = AbutTextOpen(spec, chosen, NULL, &reader.text);
  if (!ierr) ierr = ReadLines(&reader, is_obj);
  PetscCall(AbutTextClose(&reader.text));
  if (!ierr && !strcmp(extension, ".seg")) ierr = TrianglesToSegments(&reader);
  if (ierr || strcmp(extension, ".obj")) reader.triangles.n = 0;
  if (ierr || !strcmp(extension, ".pt")) reader.segments.n = 0;
  shape->x            = reader.x.a;
  shape->num_vertices = reader.x.n / 3;
  shape->edges        = reader.segments.a;
  shape->num_edges    = reader.segments.n / 2;
  AbutShapeSetTriangles(dim, &reader.triangles, shape);
  PetscFunctionReturn(ierr);
}
