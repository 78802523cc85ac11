/*
  Threshold of the contact zones (eq. 4): mean and standard deviation of the score over the shared surface S. Both mapping regions,
  projected onto S, are triangulations of S; the integrals are sums over both. The score is linear on each triangle.
*/
#include "zoneimpl.h"

typedef struct {
  PetscReal area, score, score2; /* integrals of 1, of the score and of its square [m^2, m^3, m^4] */
} Integrals;

static const AbutMapPoint *NodePoint(const AbutMapping *mapping, PetscInt num_vertices, PetscInt node)
{
  return node < num_vertices ? &mapping->point[mapping->index[node]] : &mapping->border[node - num_vertices].point;
}

static void AddTriangle(const AbutMapPoint *a, const AbutMapPoint *b, const AbutMapPoint *c, PetscReal weight, Integrals *sum)
{
  const PetscReal area = weight * AbutTriangleArea(a->target, b->target, c->target), total = a->score + b->score + c->score;

  sum->area += area;
  sum->score += area * total / 3;
  sum->score2 += area * (total * total + a->score * a->score + b->score * b->score + c->score * c->score) / 12;
}

/* Adds the part of a face in the mapping region. */
static PetscErrorCode AddFace(AbutDeformSurface surface, const AbutMapping *mapping, PetscInt face, const PetscBool keep[3], Integrals *sum)
{
  const PetscInt   nv = surface->num_vertices;
  AbutClipTriangle triangles[4];
  PetscInt         num;

  PetscFunctionBegin;
  PetscCall(AbutClipFace(surface, face, keep, mapping->num_border, mapping->border, &num, triangles));
  for (PetscInt t = 0; t < num; t++) {
    const PetscInt *node = triangles[t].node;

    AddTriangle(NodePoint(mapping, nv, node[0]), NodePoint(mapping, nv, node[1]), NodePoint(mapping, nv, node[2]), triangles[t].weight,
                sum);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode AddSide(AbutDeformSurface surface, const AbutMapping *mapping, Integrals *sum)
{
  const AbutCSR *faces = &surface->vertex_face;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < mapping->num; i++) {
    const PetscInt v = mapping->vertex[i];

    for (PetscInt k = faces->start[v]; k < faces->start[v + 1]; k++) {
      PetscBool keep[3];

      if (AbutFaceStartsAt(surface, mapping->index, faces->item[k], v, keep))
        PetscCall(AddFace(surface, mapping, faces->item[k], keep, sum));
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutZoneThreshold(const AbutDeformPair *pair, PetscReal *threshold)
{
  Integrals sum = {0};
  PetscReal mean, variance;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; s++) PetscCall(AddSide(pair->surface[s], &pair->mapping[s], &sum));
  mean       = sum.area > 0 ? sum.score / sum.area : 0;
  variance   = sum.area > 0 ? sum.score2 / sum.area - mean * mean : 0;
  *threshold = mean + pair->control.tau * PetscSqrtReal(PetscMax(variance, 0));
  PetscFunctionReturn(0);
}
