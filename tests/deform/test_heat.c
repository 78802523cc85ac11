/* Distance by the heat method against geodesics on plane and sphere at three resolutions. */
#include "contacts.h"
#include "responseimpl.h"
#include <math.h>

static PetscReal Disc(const PetscReal x[3], PetscReal at)
{
  return sqrt(x[0] * x[0] + x[1] * x[1]) - at;
}

static PetscReal Strip(const PetscReal x[3], PetscReal at)
{
  return fabs(x[0]) - at;
}

/* Geodesic distance on the unit sphere from the circle z = cos(at). */
static PetscReal Cap(const PetscReal x[3], PetscReal at)
{
  return acos(fmax(-1, fmin(1, x[2]))) - at;
}

/* Largest error of u extent up to the extent; the time of the heat method is 10 h^2. */
static PetscReal Error(const Shape *shape, PetscReal (*distance)(const PetscReal x[3], PetscReal at), PetscReal at, PetscReal extent)
{
  PetscReal         error = 0;
  Contact           contact;
  AbutResponse      response;
  AbutDeformContact one;

  ContactZone(shape, distance, at, &contact);
  one = (AbutDeformContact){contact.pair, 0};
  AbutTestCall(AbutResponseCreate(contact.surface[0], 0, &response));
  AbutTestCall(AbutRegionSet(contact.surface[0], 1, &one, extent, sqrt(10) * contact.surface[0]->mean_edge, &response->region));
  AbutTestCall(AbutReserve(response->region.num_border, &response->border_capacity, &response->border));
  AbutTestCall(AbutLaplaceSet(contact.surface[0], &response->region, &response->laplace));
  AbutTestCall(AbutHeatDistance(response, sqrt(10) * contact.surface[0]->mean_edge, extent));
  for (PetscInt k = 0; k < response->laplace.num; k++) {
    const PetscInt  v     = response->laplace.vertex[k];
    const PetscReal exact = distance(&shape->x[3 * v], at);

    if (exact < extent) error = fmax(error, fabs(response->u[v] * extent - exact));
  }
  AbutTestCall(AbutResponseDestroy(&response));
  ContactFree(&contact);
  return error;
}

static void Orders(const char name[], const PetscReal error[3], PetscReal limit)
{
  const PetscReal order = log2(error[0] / error[2]) / 2;

  print_message("%s: errors %.4f %.4f %.4f, order %.2f\n", name, (double)error[0], (double)error[1], (double)error[2], (double)order);
  assert_true(order > 0.8);
  assert_true(error[2] < limit);
}

static void Plane(void **state)
{
  PetscReal error[3];

  (void)state;
  for (PetscInt k = 0; k < 3; k++) {
    Shape shape;

    ShapeGrid(32 << k, 2, 0, &shape);
    error[k] = Error(&shape, Disc, 0.3, 0.5);
  }
  Orders("plane", error, 0.01);
}

/* The distance reaches the open border of the square: at right angles around a disc, along the border around a strip. */
static void OpenBorder(void **state)
{
  PetscReal disc[3], strip[3];

  (void)state;
  for (PetscInt k = 0; k < 3; k++) {
    Shape shape;

    ShapeGrid(32 << k, 2, 0, &shape);
    disc[k] = Error(&shape, Disc, 0.3, 0.9);
    ShapeGrid(32 << k, 2, 0, &shape);
    strip[k] = Error(&shape, Strip, 0.213, 0.6);
  }
  Orders("disc and open border", disc, 0.005);
  for (PetscInt k = 0; k < 3; k++) assert_true(strip[k] < 1e-3);
}

static void Sphere(void **state)
{
  PetscReal error[3];

  (void)state;
  for (PetscInt k = 0; k < 3; k++) {
    Shape shape;

    ShapeSphere(12 << k, 1, (PetscReal[]){0, 0, 0}, &shape);
    error[k] = Error(&shape, Cap, 0.4, 1);
  }
  Orders("sphere", error, 0.015);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest distances[] = {cmocka_unit_test(Plane), cmocka_unit_test(OpenBorder), cmocka_unit_test(Sphere)};

  return AbutTestMain(argc, argv, distances);
}
