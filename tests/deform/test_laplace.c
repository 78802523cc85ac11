/* The cotangent operator on linear and quadratic functions; its solutions reproduce linear functions. */
#include "contacts.h"
#include "responseimpl.h"
#include <math.h>

static PetscReal Disc(const PetscReal x[3], PetscReal at)
{
  return sqrt(x[0] * x[0] + x[1] * x[1]) - at;
}

static PetscReal Linear(const PetscReal x[3])
{
  return 1 + 2 * x[0] - 3 * x[1];
}

static PetscReal Square(const PetscReal x[3])
{
  return x[0] * x[0] + x[1] * x[1];
}

static PetscReal Height(const PetscReal x[3])
{
  return x[2];
}

/* L f at a vertex, with the values of f at border points. */
static void Apply(const AbutResponse response, PetscReal (*f)(const PetscReal x[3]), PetscReal result[])
{
  const AbutLaplace *laplace = &response->laplace;
  AbutDeformSurface  surface = response->surface;

  for (PetscInt b = 0; b < response->region.num_border; b++) {
    PetscReal x[3];

    AbutRegionNode(surface, &response->region, surface->num_vertices + b, x);
    response->border[b] = f(x);
  }
  for (PetscInt k = 0; k < laplace->num; k++) {
    const PetscInt v = laplace->vertex[k];

    result[k] = laplace->diagonal[v] * f(&surface->x[3 * v]);
    for (PetscInt l = surface->vertex_edge.start[v]; l < surface->vertex_edge.start[v + 1]; l++) {
      const PetscInt e = surface->vertex_edge.item[l], w = AbutDeformOtherEnd(surface, e, v);

      if (laplace->unknown[w] >= 0) result[k] -= laplace->edge_weight[e] * f(&surface->x[3 * w]);
    }
  }
  AbutLaplaceAddBorder(laplace, -1, response->border, result);
}

static void Assemble(Contact *contact, PetscReal extent, AbutResponse *response)
{
  const AbutDeformContact one = {contact->pair, 0};

  AbutTestCall(AbutResponseCreate(contact->surface[0], 0, response));
  AbutTestCall(AbutRegionSet(contact->surface[0], 1, &one, extent, sqrt(10) * contact->surface[0]->mean_edge, &(*response)->region));
  AbutTestCall(AbutReserve((*response)->region.num_border, &(*response)->border_capacity, &(*response)->border));
  AbutTestCall(AbutLaplaceSet(contact->surface[0], &(*response)->region, &(*response)->laplace));
}

/* Vertex at which all edges have two faces. */
static PetscBool Interior(AbutDeformSurface surface, PetscInt v)
{
  for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++)
    if (surface->edge_face[surface->vertex_edge.item[k]][0] < 0 || surface->edge_face[surface->vertex_edge.item[k]][1] < 0)
      return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Vertex without a neighbour in the zone. */
static PetscBool Regular(const AbutResponse response, PetscInt v)
{
  AbutDeformSurface surface = response->surface;

  for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++)
    if (response->laplace.unknown[AbutDeformOtherEnd(surface, surface->vertex_edge.item[k], v)] < 0) return PETSC_FALSE;
  return PETSC_TRUE;
}

static void Plane(void **state)
{
  const PetscInt  n = 20;
  const PetscReal h = 2. / (PetscReal)n;
  PetscReal      *linear, *square;
  PetscInt        num_regular = 0;
  Contact         contact;
  AbutResponse    response;
  Shape           shape;

  (void)state;
  ShapeGrid(n, 2, 0, &shape);
  ContactZone(&shape, Disc, 0.317, &contact);
  Assemble(&contact, 10, &response);
  AbutTestCall(PetscMalloc2(response->laplace.num, &linear, response->laplace.num, &square));
  Apply(response, Linear, linear);
  Apply(response, Square, square);
  assert_int_equal(response->laplace.num, shape.num_vertices - contact.pair->zone[0].num);
  for (PetscInt k = 0; k < response->laplace.num; k++) {
    const PetscInt v = response->laplace.vertex[k];

    if (!Interior(contact.surface[0], v)) continue;
    /* also at the cut faces around the zone */
    assert_true(fabs(linear[k]) < 1e-12 * (1 + response->laplace.diagonal[v]));
    if (!Regular(response, v)) continue;
    num_regular++;
    assert_true(fabs(square[k] + 4 * h * h) < 1e-12);
  }
  assert_true(num_regular > 200);
  AbutTestCall(PetscFree2(linear, square));
  AbutTestCall(AbutResponseDestroy(&response));
  ContactFree(&contact);
}

static PetscReal Cap(const PetscReal x[3], PetscReal at)
{
  return at - x[2];
}

/* On the unit sphere -Laplace z = 2 z: largest error of the weak form, tested with the heights themselves. */
static PetscReal SphereError(PetscInt n)
{
  PetscReal   *values, strong = 0, weak = 0;
  Contact      contact;
  AbutResponse response;
  Shape        shape;

  ShapeSphere(n, 1, (PetscReal[]){0, 0, 0}, &shape);
  ContactZone(&shape, Cap, 0.8, &contact);
  Assemble(&contact, 10, &response);
  AbutTestCall(PetscMalloc1(response->laplace.num, &values));
  Apply(response, Height, values);
  for (PetscInt k = 0; k < response->laplace.num; k++) {
    const PetscInt   v = response->laplace.vertex[k];
    const PetscReal *x = &shape.x[3 * v];

    if (x[2] > 0.6) continue;
    strong += x[2] * 2 * x[2] * response->laplace.mass[v];
    weak += x[2] * values[k];
  }
  AbutTestCall(PetscFree(values));
  AbutTestCall(AbutResponseDestroy(&response));
  ContactFree(&contact);
  return fabs(weak / strong - 1);
}

static void Sphere(void **state)
{
  const PetscReal error[3] = {SphereError(8), SphereError(16), SphereError(32)};

  (void)state;
  for (PetscInt k = 0; k < 3; k++) print_message("relative error of the operator on the sphere: %g\n", (double)error[k]);
  assert_true(error[2] < 2e-3 && error[2] < error[0] / 8);
}

static PetscReal Strip(const PetscReal x[3], PetscReal at)
{
  return fabs(x[0]) - at;
}

/* Constant border values have a constant solution, also where the region is cut off. */
static void Solution(void **state)
{
  PetscReal   *b;
  Contact      contact;
  AbutResponse response;
  Shape        shape;

  (void)state;
  ShapeGrid(30, 2, 0, &shape);
  ContactZone(&shape, Strip, 0.213, &contact);
  Assemble(&contact, 0.2, &response);
  AbutTestCall(PetscCalloc1(response->laplace.num, &b));
  for (PetscInt k = 0; k < response->region.num_border; k++) response->border[k] = 4;
  AbutTestCall(AbutLaplaceFactor(&response->laplace, 1));
  AbutLaplaceAddBorder(&response->laplace, 1, response->border, b);
  AbutFactorSolve(response->laplace.factor, NULL, b);
  for (PetscInt k = 0; k < response->laplace.num; k++) assert_true(fabs(b[k] - 4) < 1e-11);
  /* the region is cut off beyond the extent, and contains it */
  assert_true(response->laplace.num < shape.num_vertices - contact.pair->zone[0].num);
  for (PetscInt v = 0; v < shape.num_vertices; v++)
    if (fabs(shape.x[3 * v]) > 0.213 && fabs(shape.x[3 * v]) < 0.413) assert_true(response->laplace.unknown[v] >= 0);
  AbutTestCall(PetscFree(b));
  AbutTestCall(AbutResponseDestroy(&response));
  ContactFree(&contact);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest operators[] = {cmocka_unit_test(Plane), cmocka_unit_test(Sphere), cmocka_unit_test(Solution)};

  return AbutTestMain(argc, argv, operators);
}
