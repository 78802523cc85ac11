/* Response of surfaces to contacts: volume, smoothness at the zone, resolution, symmetry, controls of the user. */
#include "contacts.h"
#include "responseimpl.h"
#include <math.h>

#define WIDTH 4

static AbutDeformPairControl Control(PetscReal k0, PetscReal k1)
{
  AbutDeformPairControl control;

  AbutDeformPairControlInit(&control);
  control.stiffness[0] = k0;
  control.stiffness[1] = k1;
  return control;
}

static AbutDeformSurfaceControl Surface(PetscReal extent)
{
  AbutDeformSurfaceControl control;

  AbutDeformSurfaceControlInit(extent, &control);
  return control;
}

/* Displaced positions y of a surface under its contacts. */
static void SolveWith(AbutResponse response, PetscInt num, const AbutDeformContact contacts[], const AbutDeformSurfaceControl *control,
                      PetscReal y[], AbutDeformSurfaceReport *report)
{
  AbutTestCall(AbutResponseFields(response, num, contacts, control));
  AbutTestCall(AbutResponseDisplace(response->surface, control, response->fixed, response->unit, y, report));
}

/* Displaced positions of one side of contacts; the caller frees them. */
static PetscReal *Solve(PetscInt num, const AbutDeformContact contacts[], const AbutDeformSurfaceControl *control,
                        AbutDeformSurfaceReport *report)
{
  AbutDeformSurface surface = contacts[0].pair->surface[contacts[0].side];
  AbutResponse      response;
  PetscReal        *y;

  AbutTestCall(PetscMalloc1(3 * surface->num_vertices, &y));
  AbutTestCall(AbutResponseCreate(surface, 0, &response));
  SolveWith(response, num, contacts, control, y, report);
  AbutTestCall(AbutResponseDestroy(&response));
  return y;
}

static PetscReal *SolveSide(const Contact *contact, PetscInt side, const AbutDeformSurfaceControl *control, AbutDeformSurfaceReport *report)
{
  return Solve(1, &(AbutDeformContact){contact->pair, side}, control, report);
}

/* Both bodies keep their volumes; vertices out of reach stay; zone vertices are on S. */
static void Volume(void **state)
{
  const AbutDeformPairControl    pair    = Control(1, 2);
  const AbutDeformSurfaceControl control = Surface(0.8);
  Contact                        contact;

  (void)state;
  ContactBallPlane((PetscInt[]){24, 40}, WIDTH, 0.1, &pair, &contact);
  for (PetscInt s = 0; s < 2; s++) {
    const AbutMapping      *mapping = &contact.pair->mapping[s];
    const AbutContactZone  *zone    = &contact.pair->zone[s];
    const PetscReal        *x       = contact.surface[s]->x;
    AbutDeformSurfaceReport report;
    PetscReal              *y     = SolveSide(&contact, s, &control, &report), change;
    PetscInt                moved = 0;

    /* the square is flat at its border: the prism between input and output has the height 1 below */
    change = ShapeVolume(&contact.shape[s], y) - ShapeVolume(&contact.shape[s], x);
    assert_true(fabs(change) < 1e-12 && fabs(report.volume_change) < 1e-12);
    assert_true(report.volume_error < 1e-10);
    assert_true(report.bulge > 0 && report.bulge < 0.1);
    for (PetscInt k = 0; k < zone->num; k++)
      for (PetscInt l = 0; l < 3; l++)
        assert_true(fabs(y[3 * zone->vertex[k] + l] - mapping->point[mapping->index[zone->vertex[k]]].target[l]) < 1e-15);
    for (PetscInt v = 0; v < contact.surface[s]->num_vertices; v++)
      moved += y[3 * v] != x[3 * v] || y[3 * v + 1] != x[3 * v + 1] || y[3 * v + 2] != x[3 * v + 2];
    assert_int_equal(moved, report.num_deformed);
    assert_true(moved < contact.surface[s]->num_vertices / 2);
    AbutTestCall(PetscFree(y));
  }
  ContactFree(&contact);
}

/* A rigid body does not move, and the other takes its shape. */
static void Rigid(void **state)
{
  const AbutDeformPairControl    pair    = Control(1, 0);
  const AbutDeformSurfaceControl control = Surface(0.8);
  AbutDeformSurfaceReport        report;
  Contact                        contact;
  PetscReal                     *y;

  (void)state;
  ContactBallPlane((PetscInt[]){24, 40}, WIDTH, 0.1, &pair, &contact);
  y = SolveSide(&contact, 0, &control, &report);
  for (PetscInt k = 0; k < 3 * contact.surface[0]->num_vertices; k++) assert_true(y[k] == contact.surface[0]->x[k]);
  assert_int_equal(report.num_deformed, 0);
  AbutTestCall(PetscFree(y));
  y = SolveSide(&contact, 1, &control, &report);
  assert_true(fabs(report.displacement - 0.1) < 5e-3);
  assert_true(report.volume_error < 1e-10);
  AbutTestCall(PetscFree(y));
  ContactFree(&contact);
}

static void FaceNormal(const PetscReal x[], const PetscInt v[3], PetscReal n[3])
{
  const PetscReal *a = &x[3 * v[0]], *b = &x[3 * v[1]], *c = &x[3 * v[2]];
  PetscReal        length = 0;

  for (PetscInt k = 0; k < 3; k++) {
    const PetscInt l = (k + 1) % 3, m = (k + 2) % 3;

    n[k] = (b[l] - a[l]) * (c[m] - a[m]) - (b[m] - a[m]) * (c[l] - a[l]);
    length += n[k] * n[k];
  }
  for (PetscInt k = 0; k < 3; k++) n[k] /= sqrt(length);
}

/* Root mean square angle between the normal of S at a border point and the displaced faces around the vertex next to it outside [rad]. */
static PetscReal NormalJump(PetscInt n, PetscInt side)
{
  const AbutDeformPairControl    pair    = Control(1, 1);
  const AbutDeformSurfaceControl control = Surface(0.8);
  AbutDeformSurfaceReport        report;
  PetscReal                     *y, sum = 0;
  PetscInt                       num = 0;
  AbutDeformSurface              surface;
  Contact                        contact;

  ContactBallPlane((PetscInt[]){n, 2 * n}, WIDTH, 0.1, &pair, &contact);
  surface = contact.surface[side];
  y       = SolveSide(&contact, side, &control, &report);
  for (PetscInt b = 0; b < contact.pair->zone[side].num_border; b++) {
    const AbutBorderPoint *border = &contact.pair->zone[side].border[b];

    for (PetscInt k = surface->vertex_face.start[border->outside]; k < surface->vertex_face.start[border->outside + 1]; k++) {
      const PetscInt f = surface->vertex_face.item[k];
      PetscReal      normal[3], dot = 0;

      FaceNormal(y, surface->face[f], normal);
      for (PetscInt l = 0; l < 3; l++) dot += normal[l] * border->point.normal[l];
      sum += acos(fmin(dot, 1)) * acos(fmin(dot, 1));
      num++;
    }
  }
  AbutTestCall(PetscFree(y));
  ContactFree(&contact);
  return sqrt(sum / num);
}

/* The jump decreases in proportion to h. With the tangents of the input instead of S it would stay at the angle between them. */
static void Smooth(void **state)
{
  (void)state;
  for (PetscInt side = 0; side < 2; side++) {
    PetscReal jump[3];

    for (PetscInt k = 0; k < 3; k++) jump[k] = NormalJump(20 << k, side);
    print_message("side %d: jumps of the normal %.4f %.4f %.4f\n", (int)side, (double)jump[0], (double)jump[1], (double)jump[2]);
    assert_true(jump[1] < 0.65 * jump[0] && jump[2] < 0.65 * jump[1]);
  }
}

/* Largest difference of the square at the vertices of the coarsest grid between resolutions n and 2 n. */
static void Resolutions(void **state)
{
  const AbutDeformPairControl    pair    = Control(1, 1);
  const AbutDeformSurfaceControl control = Surface(0.8);
  PetscReal                     *y[4], difference[3] = {0, 0, 0};
  AbutDeformSurfaceReport        report[4];

  (void)state;
  for (PetscInt k = 0; k < 4; k++) {
    Contact contact;

    ContactBallPlane((PetscInt[]){16 << k, 30 << k}, WIDTH, 0.1, &pair, &contact);
    y[k] = SolveSide(&contact, 1, &control, &report[k]);
    ContactFree(&contact);
  }
  for (PetscInt k = 0; k < 3; k++)
    for (PetscInt j = 0; j <= 30; j++)
      for (PetscInt i = 0; i <= 30; i++)
        for (PetscInt l = 0; l < 3; l++) {
          const PetscInt c = (j << k) * ((30 << k) + 1) + (i << k), f = (j << (k + 1)) * ((30 << (k + 1)) + 1) + (i << (k + 1));

          difference[k] = fmax(difference[k], fabs(y[k][3 * c + l] - y[k + 1][3 * f + l]));
        }
  print_message("differences between resolutions %.5f %.5f %.5f; bulge %.5f %.5f %.5f %.5f\n", (double)difference[0], (double)difference[1],
                (double)difference[2], (double)report[0].bulge, (double)report[1].bulge, (double)report[2].bulge, (double)report[3].bulge);
  assert_true(difference[1] < 0.7 * difference[0] && difference[2] < 0.7 * difference[1] && difference[2] < 2e-3);
  for (PetscInt k = 0; k < 4; k++) AbutTestCall(PetscFree(y[k]));
}

/* Two equal balls, mirror images of each other: so are the results. */
static void Symmetry(void **state)
{
  const AbutDeformPairControl    pair    = Control(1, 1);
  const AbutDeformSurfaceControl control = Surface(0.8);
  AbutDeformSurfaceReport        report[2];
  PetscReal                     *y[2];
  Shape                          shape[2];
  Contact                        contact;

  (void)state;
  for (PetscInt s = 0; s < 2; s++) {
    ShapeSphere(20, 1, (PetscReal[]){0, 0, 0}, &shape[s]);
    for (PetscInt v = 0; v < shape[s].num_vertices; v++) {
      PetscReal *x = &shape[s].x[3 * v];
      /* a rotation about the x-axis, so that no vertex is at the centre of the contact */
      const PetscReal z = 0.98 * x[2] - sqrt(1 - 0.98 * 0.98) * x[1];

      x[1] = 0.98 * x[1] + sqrt(1 - 0.98 * 0.98) * x[2];
      x[2] = (s ? -1 : 1) * (z + 0.95);
    }
    for (PetscInt f = 0; f < shape[s].num_faces && s; f++) {
      const PetscInt swap = shape[s].face[3 * f];

      shape[s].face[3 * f]     = shape[s].face[3 * f + 1];
      shape[s].face[3 * f + 1] = swap;
    }
  }
  ContactCreate(shape, &pair, &contact);
  for (PetscInt s = 0; s < 2; s++) y[s] = SolveSide(&contact, s, &control, &report[s]);
  assert_true(contact.pair->zone[0].num > 10);
  for (PetscInt v = 0; v < shape[0].num_vertices; v++)
    for (PetscInt k = 0; k < 3; k++) assert_true(fabs(y[0][3 * v + k] - (k == 2 ? -1 : 1) * y[1][3 * v + k]) < 1e-10);
  for (PetscInt s = 0; s < 2; s++) AbutTestCall(PetscFree(y[s]));
  ContactFree(&contact);
}

/* Displacements of both surfaces of a ball and a square while the ball moves: position at time t in [0, 1]. */
static void Frame(Contact *contact, AbutResponse response[2], const PetscReal velocity[3], PetscReal omega, PetscReal t, PetscReal *w[2])
{
  const Shape             *ball    = &contact->shape[0];
  AbutDeformSurfaceControl control = Surface(0.6);
  AbutDeformSurfaceReport  report;
  PetscReal               *x, threshold;

  control.omega = omega;
  AbutTestCall(PetscMalloc1(3 * ball->num_vertices, &x));
  for (PetscInt k = 0; k < 3 * ball->num_vertices; k++) x[k] = ball->x[k] + t * velocity[k % 3];
  AbutTestCall(AbutDeformSurfaceSetPositions(contact->surface[0], x));
  AbutTestCall(PetscFree(x));
  AbutTestCall(AbutDeformPairIntersect(contact->pair));
  AbutTestCall(AbutDeformPairMap(contact->pair));
  AbutTestCall(AbutZoneThreshold(contact->pair, &threshold));
  AbutTestCall(AbutZoneExtract(contact->pair, threshold));
  for (PetscInt s = 0; s < 2; s++) {
    SolveWith(response[s], 1, &(AbutDeformContact){contact->pair, s}, &control, w[s], &report);
    for (PetscInt k = 0; k < 3 * contact->surface[s]->num_vertices; k++) w[s][k] -= contact->surface[s]->x[k];
  }
}

/* Largest change of a displacement from one of num + 1 frames to the next. */
static PetscReal Jump(const PetscReal velocity[3], PetscReal omega, PetscInt num)
{
  const AbutDeformPairControl pair = Control(1, 1);
  PetscReal                  *w[2][2], jump = 0;
  AbutResponse                response[2];
  Contact                     contact;

  ContactBallPlane((PetscInt[]){16, 30}, WIDTH, 0.07, &pair, &contact);
  for (PetscInt s = 0; s < 2; s++) {
    AbutTestCall(AbutResponseCreate(contact.surface[s], 0, &response[s]));
    for (PetscInt k = 0; k < 2; k++) AbutTestCall(PetscMalloc1(3 * contact.surface[s]->num_vertices, &w[k][s]));
  }
  for (PetscInt f = 0; f <= num; f++) {
    Frame(&contact, response, velocity, omega, (PetscReal)f / (PetscReal)num, w[f % 2]);
    for (PetscInt s = 0; s < 2 && f; s++)
      for (PetscInt k = 0; k < 3 * contact.surface[s]->num_vertices; k++) jump = fmax(jump, fabs(w[0][s][k] - w[1][s][k]));
  }
  for (PetscInt s = 0; s < 2; s++) {
    AbutTestCall(AbutResponseDestroy(&response[s]));
    for (PetscInt k = 0; k < 2; k++) AbutTestCall(PetscFree(w[k][s]));
  }
  ContactFree(&contact);
  return jump;
}

/*
  The displacements are continuous in time: jumps between frames decrease in proportion to the step while vertices enter and leave the
  zone.
*/
static void Time(void **state)
{
  const PetscReal velocity[2][3] = {{0, 0, -0.05}, {0.3, 0.1, -0.03}}, omega[2] = {-1, 2};

  (void)state;
  for (PetscInt k = 0; k < 2; k++) {
    const PetscReal jump[3] = {Jump(velocity[k], omega[k], 12), Jump(velocity[k], omega[k], 36), Jump(velocity[k], omega[k], 120)};

    print_message("jumps between frames at 1, 3 and 10 times finer steps %.6f %.6f %.6f\n", (double)jump[0], (double)jump[1],
                  (double)jump[2]);
    assert_true(jump[1] < 0.4 * jump[0] && jump[2] < 0.13 * jump[0]);
  }
}

static PetscReal Highest(const Contact *contact, const PetscReal y[])
{
  PetscReal highest = 0;

  for (PetscInt v = 0; v < contact->surface[1]->num_vertices; v++) highest = fmax(highest, y[3 * v + 2]);
  return highest;
}

/* gamma, painted maps that change sign, the exponent of the direction, the sine. */
static void Controls(void **state)
{
  const AbutDeformPairControl pair    = Control(1, 1);
  AbutDeformSurfaceControl    control = Surface(0.8);
  AbutDeformSurfaceReport     report;
  Contact                     contact;
  PetscReal                  *y, *map, isotropic, bulge;

  (void)state;
  ContactBallPlane((PetscInt[]){24, 40}, WIDTH, 0.1, &pair, &contact);
  AbutTestCall(PetscMalloc1(contact.surface[1]->num_vertices, &map));
  y         = SolveSide(&contact, 1, &control, &report);
  isotropic = Highest(&contact, y);
  bulge     = report.bulge;
  AbutTestCall(PetscFree(y));

  control.volume = 0;
  y              = SolveSide(&contact, 1, &control, &report);
  assert_true(report.bulge == 0 && fabs(report.volume_error - 1) < 1e-12);
  assert_true(Highest(&contact, y) < 1e-3 * isotropic);
  AbutTestCall(PetscFree(y));

  control.volume = 2;
  y              = SolveSide(&contact, 1, &control, &report);
  assert_true(fabs(report.bulge / bulge - 2) < 1e-12);
  AbutTestCall(PetscFree(y));

  control.volume = 1;
  control.bulge  = map;
  for (PetscInt v = 0; v < contact.surface[1]->num_vertices; v++)
    map[v] = 0.4 + cos(5 * atan2(contact.surface[1]->x[3 * v + 1], contact.surface[1]->x[3 * v]));
  y = SolveSide(&contact, 1, &control, &report);
  assert_true(report.volume_error < 1e-10);
  assert_true(Highest(&contact, y) > 2 * isotropic);
  AbutTestCall(PetscFree(y));

  control.bulge      = NULL;
  control.wave       = 0.2;
  control.wave_count = 3;
  y                  = SolveSide(&contact, 1, &control, &report);
  assert_true(report.volume_error < 1e-10);
  assert_true(Highest(&contact, y) > isotropic);
  AbutTestCall(PetscFree(y));
  AbutTestCall(PetscFree(map));
  ContactFree(&contact);
}

/* A ball pressed along a slanted direction: with omega = 2 the bulge of the square is larger ahead of the ball than behind it. */
static void Ahead(void **state)
{
  AbutDeformPairControl    pair    = Control(1, 0);
  AbutDeformSurfaceControl control = Surface(0.8);
  AbutDeformSurfaceReport  report;
  Contact                  contact;
  PetscReal               *y, most[2] = {0, 0};

  (void)state;
  pair.direction[0] = -0.5; /* from the ball to the square: the square is pushed towards +x and down */
  pair.direction[2] = 1;
  ContactBallPlane((PetscInt[]){24, 40}, WIDTH, 0.1, &pair, &contact);
  control.omega = 2;
  y             = SolveSide(&contact, 1, &control, &report);
  assert_true(report.volume_error < 1e-10);
  for (PetscInt v = 0; v < contact.surface[1]->num_vertices; v++) {
    const PetscInt ahead = contact.surface[1]->x[3 * v] > 0;

    most[ahead] = fmax(most[ahead], y[3 * v + 2]);
  }
  assert_true(most[1] > 2 * most[0]);
  AbutTestCall(PetscFree(y));
  ContactFree(&contact);
}

/* Two balls on one square, each with its own direction; far apart the response is the sum of both. */
static void TwoContacts(void **state)
{
  const AbutDeformPairControl    pair    = Control(1, 1);
  const AbutDeformSurfaceControl control = Surface(0.4);
  Contact                        contact[2];
  AbutDeformSurfaceReport        report[3];
  PetscReal                     *y[3];

  (void)state;
  for (PetscInt k = 0; k < 2; k++) {
    Shape shape[2];

    ShapeSphere(24, 1, (PetscReal[]){k ? 1 : -1, 0.01, 0.95}, &shape[0]);
    ShapeGrid(60, WIDTH, 0, &shape[1]);
    ContactCreate(shape, &pair, &contact[k]);
    y[k] = SolveSide(&contact[k], 1, &control, &report[k]);
  }
  y[2] = Solve(2, (AbutDeformContact[]){{contact[0].pair, 1}, {contact[1].pair, 1}}, &control, &report[2]);
  assert_true(report[2].volume_error < 1e-10);
  assert_int_equal(report[2].num_deformed, report[0].num_deformed + report[1].num_deformed);
  for (PetscInt v = 0; v < contact[0].surface[1]->num_vertices; v++) {
    const PetscReal *x = &contact[0].surface[1]->x[3 * v];

    for (PetscInt k = 0; k < 3; k++) assert_true(fabs(y[0][3 * v + k] + y[1][3 * v + k] - x[k] - y[2][3 * v + k]) < 1e-4);
  }
  for (PetscInt k = 0; k < 3; k++) AbutTestCall(PetscFree(y[k]));
  for (PetscInt k = 0; k < 2; k++) ContactFree(&contact[k]);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest responses[] = {cmocka_unit_test(Volume),      cmocka_unit_test(Rigid),    cmocka_unit_test(Smooth),
                                         cmocka_unit_test(Resolutions), cmocka_unit_test(Symmetry), cmocka_unit_test(Time),
                                         cmocka_unit_test(Controls),    cmocka_unit_test(Ahead),    cmocka_unit_test(TwoContacts)};

  return AbutTestMain(argc, argv, responses);
}
