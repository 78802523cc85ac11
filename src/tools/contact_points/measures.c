/* Measures of contacts with known normals. */
#include <abut/contact_measures.h>
#include <abut/dense.h>
#include <abut/geom.h>
#include <math.h>

/* Angle between two unit vectors, accurate for small angles. */
static PetscReal Angle(const PetscReal a[3], const PetscReal b[3])
{
  PetscReal cross[3], cosine = AbutDot(3, a, b);

  AbutCross(a, b, cross);
  return atan2(AbutNorm(3, cross), cosine);
}

/* A normal that is no unit vector is wrong: its length scales the forces. */
static PetscBool HasNormal(const AbutPointContact *contact, const AbutExpectedNormals *expected, PetscInt k)
{
  return (PetscBool)(PetscAbsReal(contact->length - 1) <= expected->tolerance &&
                     Angle(contact->normal, expected->normal[k]) <= expected->tolerance);
}

/* Number and force of the contacts with an expected normal. */
static void CountNormal(PetscInt n, const AbutPointContact contacts[], const AbutExpectedNormals *expected, PetscInt k, PetscInt *count,
                        PetscReal *force)
{
  *count = 0;
  *force = 0;
  for (PetscInt i = 0; i < n; i++) {
    if (!HasNormal(&contacts[i], expected, k)) continue;
    (*count)++;
    *force += contacts[i].weight;
  }
}

static PetscBool IsCorrect(const AbutPointContact *contact, const AbutExpectedNormals *expected)
{
  for (PetscInt k = 0; k < expected->num; k++)
    if (HasNormal(contact, expected, k)) return PETSC_TRUE;
  return PETSC_FALSE;
}

void AbutContactsAdd(PetscInt n, const AbutPointContact contacts[], const AbutExpectedNormals *expected, AbutContactSums *sums)
{
  PetscReal force = 0;

  for (PetscInt i = 0; i < n; i++) {
    const PetscBool is_correct = IsCorrect(&contacts[i], expected);

    sums->correct += is_correct;
    sums->correct_force += is_correct ? contacts[i].weight : 0;
    sums->squares += PetscSqr(contacts[i].weight);
    force += contacts[i].weight;
  }
  for (PetscInt k = 0; k < expected->num; k++) {
    PetscInt  count;
    PetscReal part;

    CountNormal(n, contacts, expected, k, &count, &part);
    sums->covered += count > 0;
    sums->carried += part > 0 && part >= expected->share * force / expected->num;
  }
  sums->force += force;
  sums->contacts += n;
  sums->normals += expected->num;
  sums->minimum += expected->minimum;
}

AbutContactQuality AbutContactSumsQuality(const AbutContactSums *s)
{
  return (AbutContactQuality){.contacts          = s->contacts,
                              .quality           = s->contacts ? 100. * s->correct / s->contacts : 0,
                              .coverage          = s->normals ? 100. * s->covered / s->normals : 0,
                              .excess            = s->minimum ? (PetscReal)s->contacts / s->minimum : 0,
                              .weighted_quality  = s->force > 0 ? 100 * s->correct_force / s->force : 0,
                              .weighted_coverage = s->normals ? 100. * s->carried / s->normals : 0,
                              .weighted_excess   = s->squares > 0 && s->minimum ? PetscSqr(s->force) / s->squares / s->minimum : 0};
}

PetscErrorCode AbutContactsArea(PetscInt n, const AbutPointContact contacts[], const PetscReal normal[3], PetscReal *area)
{
  PetscReal(*points)[2], tangent[2][3];
  PetscInt *corner, num;

  PetscFunctionBegin;
  *area = 0;
  AbutTangents(3, normal, tangent);
  PetscCall(PetscMalloc2(n, &points, n + 1, &corner));
  for (PetscInt i = 0; i < n; i++) {
    points[i][0] = AbutDot(3, contacts[i].position, tangent[0]);
    points[i][1] = AbutDot(3, contacts[i].position, tangent[1]);
  }
  PetscCall(AbutConvexHull(n, (const PetscReal(*)[2])points, &num, corner));
  for (PetscInt i = 2; i < num; i++) {
    const PetscReal *a = points[corner[0]], *b = points[corner[i - 1]], *c = points[corner[i]];

    *area += ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
  }
  PetscCall(PetscFree2(points, corner));
  PetscFunctionReturn(0);
}
