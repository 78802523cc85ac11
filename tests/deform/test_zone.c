/* Threshold and contact zones of a ball and a plane. */
#include "contacts.h"
#include "zoneimpl.h"
#include <math.h>

static AbutDeformPairControl Control(PetscReal k0, PetscReal k1, PetscReal tau)
{
  AbutDeformPairControl control;

  AbutDeformPairControlInit(&control);
  control.stiffness[0] = k0;
  control.stiffness[1] = k1;
  control.tau          = tau;
  control.direction[2] = 1;
  return control;
}

/*
  Ball of radius 1, depth p, plane: delta = p - r^2 / 2 approximately, and score = delta (1 + O(p)). Over the disc r^2 < 2 p the mean of
  delta is p / 2 and its standard deviation p / sqrt(12).
*/
static void Threshold(void **state)
{
  const PetscReal p = 0.02;

  (void)state;
  for (PetscInt k = -1; k <= 1; k++) {
    const AbutDeformPairControl control = Control(0, 1, 0.5 * (PetscReal)k);
    const PetscReal             exact   = p / 2 + control.tau * p / sqrt(12);
    PetscReal                   threshold;
    Contact                     contact;

    ContactBallPlane((PetscInt[]){100, 80}, 1, p, &control, &contact);
    AbutTestCall(AbutZoneThreshold(contact.pair, &threshold));
    assert_true(fabs(threshold / exact - 1) < 0.02);
    ContactFree(&contact);
  }
}

static PetscReal Score(const AbutMapping *mapping, const AbutMapPoint *a, const AbutMapPoint *b, PetscReal t)
{
  PetscReal dot = 0;

  for (PetscInt k = 0; k < 3; k++) dot -= mapping->direction[k] * ((1 - t) * a->normal[k] + t * b->normal[k]);
  return dot * ((1 - t) * a->depth + t * b->depth);
}

/*
  Eq. 5 holds with equality at the border points, with depth and normal linear between the image of i and that of j or of the border of M.
*/
static void CheckBorder(const Contact *contact, PetscInt side, PetscReal threshold)
{
  const AbutMapping     *mapping = &contact->pair->mapping[side];
  const AbutContactZone *zone    = &contact->pair->zone[side];
  PetscInt               end;

  for (PetscInt k = 0; k < zone->num_border; k++) {
    const AbutBorderPoint *border = &zone->border[k];
    const AbutMapPoint    *a      = &mapping->point[mapping->index[border->inside]], *b;
    PetscReal              reach  = 1;

    assert_true(k == 0 || zone->border[k - 1].edge < border->edge);
    assert_true(zone->contains[border->inside] && !zone->contains[border->outside]);
    if (mapping->index[border->outside] >= 0)
      b = &mapping->point[mapping->index[border->outside]];
    else {
      end = AbutBorderFind(mapping->num_border, mapping->border, border->edge);
      assert_true(end >= 0);
      b     = &mapping->border[end].point;
      reach = mapping->border[end].alpha;
    }
    assert_true(fabs(Score(mapping, a, b, border->alpha / reach) - threshold) < 1e-15);
    /* the exact image differs by the curvature of the surfaces along the edge */
    assert_true(fabs(border->point.score - threshold) < 2e-3);
  }
}

static void Border(void **state)
{
  const AbutDeformPairControl control = Control(1, 3, 0.3);
  PetscReal                   threshold;
  Contact                     contact;

  (void)state;
  ContactBallPlane((PetscInt[]){40, 40}, 1.5, 0.05, &control, &contact);
  AbutTestCall(AbutZoneThreshold(contact.pair, &threshold));
  for (PetscInt s = 0; s < 2; s++) {
    const AbutMapping     *mapping = &contact.pair->mapping[s];
    const AbutContactZone *zone    = &contact.pair->zone[s];

    assert_true(zone->num > 10 && zone->num_border > 10 && zone->num < mapping->num);
    for (PetscInt k = 0; k < mapping->num; k++) assert_int_equal(zone->contains[mapping->vertex[k]], mapping->point[k].score >= threshold);
    CheckBorder(&contact, s, threshold);
  }
  ContactFree(&contact);
}

/* With tau = -10 the threshold is negative: the zones end at the borders of the mapping regions. */
static void WholeRegion(void **state)
{
  const AbutDeformPairControl control = Control(1, 1, -10);
  Contact                     contact;

  (void)state;
  ContactBallPlane((PetscInt[]){40, 40}, 1.5, 0.05, &control, &contact);
  for (PetscInt s = 0; s < 2; s++) {
    const AbutMapping     *mapping = &contact.pair->mapping[s];
    const AbutContactZone *zone    = &contact.pair->zone[s];

    assert_int_equal(zone->num, mapping->num);
    assert_int_equal(zone->num_border, mapping->num_border);
    for (PetscInt k = 0; k < zone->num_border; k++) {
      assert_int_equal(zone->border[k].edge, mapping->border[k].edge);
      assert_true(zone->border[k].alpha == mapping->border[k].alpha);
    }
  }
  ContactFree(&contact);
}

/* A hemisphere that dips in whole: its zone ends where its normal makes the largest angle with the direction. */
static void Safeguard(void **state)
{
  const AbutDeformPairControl control = Control(0, 1, -10);
  const PetscReal             limit   = cos(80 * M_PI / 180);
  Contact                     contact;

  (void)state;
  ContactBallPlane((PetscInt[]){40, 30}, 3, 1.2, &control, &contact);
  for (PetscInt k = 0; k < contact.pair->zone[0].num_border; k++) {
    const AbutBorderPoint *border = &contact.pair->zone[0].border[k];
    const PetscReal       *n = contact.surface[0]->normal, a = -n[3 * border->inside + 2], b = -n[3 * border->outside + 2];

    assert_true(a >= limit && b < limit);
    assert_true(fabs((1 - border->alpha) * a + border->alpha * b - limit) < 1e-14);
  }
  assert_true(contact.pair->zone[0].num_border > 100);
  ContactFree(&contact);
}

/* A threshold that no vertex reaches leaves both zones empty. */
static void Empty(void **state)
{
  const AbutDeformPairControl control = Control(1, 1, 10);
  Contact                     contact;

  (void)state;
  ContactBallPlane((PetscInt[]){10, 10}, 1.5, 0.05, &control, &contact);
  for (PetscInt s = 0; s < 2; s++) {
    assert_int_equal(contact.pair->zone[s].num, 0);
    assert_int_equal(contact.pair->zone[s].num_border, 0);
    for (PetscInt v = 0; v < contact.surface[s]->num_vertices; v++) assert_false(contact.pair->zone[s].contains[v]);
  }
  ContactFree(&contact);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest zones[] = {cmocka_unit_test(Threshold), cmocka_unit_test(Border), cmocka_unit_test(WholeRegion),
                                     cmocka_unit_test(Safeguard), cmocka_unit_test(Empty)};

  return AbutTestMain(argc, argv, zones);
}
