/* The intersection curve: crossings without duplicates, pieces in the order of their faces, pieces at each face. */
#include "pairimpl.h"
#include <stdlib.h>

typedef struct {
  AbutCrossing crossing;
  PetscInt     position; /* before the sort */
} Entry;

static int CompareIntegers(PetscInt a, PetscInt b)
{
  return (a > b) - (a < b);
}

static int CompareCrossings(const void *first, const void *second)
{
  const AbutCrossing *a = &((const Entry *)first)->crossing, *b = &((const Entry *)second)->crossing;

  if (a->side != b->side) return CompareIntegers(a->side, b->side);
  if (a->edge != b->edge) return CompareIntegers(a->edge, b->edge);
  if (a->t != b->t) return a->t < b->t ? -1 : 1;
  return CompareIntegers(a->face, b->face);
}

/* Sorts the crossings and removes duplicates: both faces at an edge have found its crossings. number[i] is the new number of crossing i. */
static PetscErrorCode SortCrossings(AbutIntersectionCurve *curve, PetscInt number[])
{
  Entry   *entry;
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(curve->num_crossings, &entry));
  for (PetscInt i = 0; i < curve->num_crossings; i++) entry[i] = (Entry){curve->crossing[i], i};
  if (curve->num_crossings) qsort(entry, (size_t)curve->num_crossings, sizeof(*entry), CompareCrossings);
  for (PetscInt i = 0; i < curve->num_crossings; i++) {
    if (!i || CompareCrossings(&entry[i - 1], &entry[i])) curve->crossing[n++] = entry[i].crossing;
    number[entry[i].position] = n - 1;
  }
  curve->num_crossings = n;
  curve->side_start[0] = curve->side_start[1] = 0;
  curve->side_start[2]                        = n;
  while (curve->side_start[1] < n && !curve->crossing[curve->side_start[1]].side) curve->side_start[1]++;
  PetscCall(PetscFree(entry));
  PetscFunctionReturn(0);
}

/* Lists the pieces at each face of both sides. */
static PetscErrorCode SetFacePieces(AbutDeformPair *pair)
{
  AbutIntersectionCurve *curve = &pair->curve;
  PetscInt              *face;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(curve->num_pieces, &face));
  for (PetscInt s = 0; s < 2; s++) {
    for (PetscInt i = 0; i < curve->num_pieces; i++) face[i] = curve->piece[i].face[s];
    PetscCall(AbutCSRSetPairs(pair->surface[s]->num_faces, curve->num_pieces, 1, face, NULL, &curve->face_piece[s]));
  }
  PetscCall(PetscFree(face));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCurveSet(AbutDeformPair *pair)
{
  AbutIntersectionCurve *curve = &pair->curve;
  PetscInt              *number;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(curve->num_crossings, &number));
  PetscCall(SortCrossings(curve, number));
  for (PetscInt i = 0; i < curve->num_pieces; i++)
    for (PetscInt k = 0; k < 2; k++) curve->piece[i].crossing[k] = number[curve->piece[i].crossing[k]];
  PetscCall(AbutSortRecords(curve->num_pieces, sizeof(*curve->piece), 2, curve->piece));
  PetscCall(SetFacePieces(pair));
  PetscCall(PetscFree(number));
  PetscFunctionReturn(0);
}

PetscInt AbutCurveEdgeCrossings(const AbutDeformPair *pair, PetscInt side, PetscInt edge, PetscInt *first)
{
  const AbutIntersectionCurve *curve = &pair->curve;
  PetscInt                     low = curve->side_start[side], high = curve->side_start[side + 1], n = 0;

  while (low < high) {
    const PetscInt middle = (low + high) / 2;

    if (curve->crossing[middle].edge < edge)
      low = middle + 1;
    else
      high = middle;
  }
  while (low + n < curve->side_start[side + 1] && curve->crossing[low + n].edge == edge) n++;
  *first = low;
  return n;
}
