/*
  Most opposing surfaces [Erleben 2018, appendix A, Algorithm 1]: among the pairs of surface faces that are in front of each other's cells,
  the pair whose normals are most opposite gives the contact normal: the normal of the first body, as in the author's own simulator
  (github.com/diku-dk/PROX), which explains Table 8, or the mean of both, as in Algorithm 1. Pairs that are nearly orthogonal do not count:
  after small rotations, the end face of a brick would oppose the lower face of the next layer. The points of the intersection are projected
  onto the plane in the middle of their extent along the normal.
*/
#include "contact_pointsimpl.h"

/* Contact normal from cell[0] to cell[1]; PETSC_FALSE if no two surface faces oppose each other. */
static PetscBool FindNormal(const AbutCellPair *pair, PetscReal normal[3])
{
  const AbutPointCell *A = pair->cell[0], *B = pair->cell[1];
  PetscBool            found    = PETSC_FALSE;
  PetscReal            opposite = -pair->rules->opposing_cosine;

  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++) {
      const PetscReal dot = AbutDot(3, A->normal[a], B->normal[b]);

      if (!(A->tet.surface >> a & B->tet.surface >> b & 1) || dot >= opposite - pair->rules->merge_normal) continue;
      if (pair->side[0][a][b] < 0 || pair->side[1][b][a] < 0) continue; /* the vertices opposite to the faces */
      found    = PETSC_TRUE;
      opposite = dot;
      for (int i = 0; i < 3; i++) normal[i] = A->normal[a][i] - (pair->rules->opposing_mean ? B->normal[b][i] : 0);
    }
  if (!found) return PETSC_FALSE;
  (void)AbutNormalize(3, normal);
  return PETSC_TRUE;
}

PetscErrorCode AbutFindOpposing(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B, AbutPointContacts *contacts)
{
  AbutCellPair pair;
  AbutOverlap  overlap;
  PetscReal    normal[3];

  PetscFunctionBegin;
  if (!AbutCellPairSetUp(&pair, rules, A, B) || !FindNormal(&pair, normal)) PetscFunctionReturn(0);
  if (AbutCellPairOverlap(&pair, PETSC_FALSE, &overlap)) PetscCall(AbutAddProjected(&pair, normal, NULL, contacts));
  PetscFunctionReturn(0);
}
