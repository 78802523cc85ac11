/* Follower pressure and gas: energies of volumes and their derivatives; see pressure.h. */
#include "pressureimpl.h"
#include <abut/dense.h>
#include <string.h>

/* Determinant of two or three places relative to the origin. */
static PetscReal Determinant(PetscInt dim, const PetscReal o[3], const PetscReal *const x[])
{
  PetscReal r[3][3], normal[3];

  for (PetscInt a = 0; a < dim; a++)
    for (PetscInt i = 0; i < dim; i++) r[a][i] = x[a][i] - o[i];
  if (dim == 2) return r[0][0] * r[1][1] - r[0][1] * r[1][0];
  AbutCross(r[1], r[2], normal);
  return AbutDot(3, r[0], normal);
}

/* Adds `scale` times the gradient of Determinant() by place a to g. */
static void AddDerivative(PetscInt dim, const PetscReal o[3], const PetscReal *const x[], PetscInt a, PetscReal scale, PetscReal g[])
{
  PetscReal r[2][3], normal[3];

  for (PetscInt b = 1; b < dim; b++)
    for (PetscInt i = 0; i < dim; i++) r[b - 1][i] = x[(a + b) % dim][i] - o[i];
  if (dim == 3) {
    AbutCross(r[0], r[1], normal);
    for (int i = 0; i < 3; i++) g[i] += scale * normal[i];
  } else {
    const PetscReal sign = a == 0 ? scale : -scale;
    g[0] += sign * r[0][1];
    g[1] -= sign * r[0][0];
  }
}

/* `num` simplices that close an edge (2D: an end) of the border: places of each, and the local vertices of the places, -1: fixed. */
typedef struct {
  PetscInt         num;
  const PetscReal *x[2][3];
  PetscInt         vertex[2][3]; /* local vertex, or -1 for a fixed place */
} Strip;

static Strip GetStrip(AbutPressures s, const Surface *surface, PetscInt k, const PetscReal x[])
{
  const PetscInt   dim = s->ml->dim, *v = surface->border + k * (dim - 1);
  const PetscReal *to    = s->anchor;
  Strip            strip = {0};

  if (dim == 3) {
    const PetscReal *a = x + 3 * v[0], *b = x + 3 * v[1], *c = to + 3 * v[0], *d = to + 3 * v[1];
    strip = (Strip){2, {{b, a, c}, {b, c, d}}, {{v[1], v[0], -1}, {v[1], -1, -1}}};
  } else {
    const PetscReal *a = x + 2 * v[0], *c = to + 2 * v[0];
    if (surface->sign[k] > 0)
      strip = (Strip){1, {{c, a}}, {{-1, v[0]}}};
    else
      strip = (Strip){1, {{a, c}}, {{v[0], -1}}};
  }
  return strip;
}

static PetscReal Share(PetscInt dim)
{
  return dim == 3 ? -1. / 6 : -1. / 2; /* minus: the volume is on the outer side */
}

PetscReal AbutSurfaceVolume(AbutPressures s, const Surface *surface, const PetscReal x[])
{
  const PetscInt dim = s->ml->dim;
  PetscReal      sum = 0;

  for (PetscInt k = 0; k < surface->num; k++) {
    const PetscReal *places[3];
    for (PetscInt a = 0; a < dim; a++) places[a] = x + dim * surface->face[dim * k + a];
    sum += Determinant(dim, surface->origin, places);
  }
  for (PetscInt k = 0; k < surface->num_border; k++) {
    const Strip strip = GetStrip(s, surface, k, x);
    for (PetscInt n = 0; n < strip.num; n++) sum += Determinant(dim, surface->origin, strip.x[n]);
  }
  return Share(dim) * sum;
}

/* Adds `scale` times the gradient of the volume to g. */
static void AddVolumeGradient(AbutPressures s, const Surface *surface, const PetscReal x[], PetscReal scale, PetscReal g[])
{
  const PetscInt dim = s->ml->dim;

  scale *= Share(dim);
  for (PetscInt k = 0; k < surface->num; k++) {
    const PetscReal *places[3];
    for (PetscInt a = 0; a < dim; a++) places[a] = x + dim * surface->face[dim * k + a];
    for (PetscInt a = 0; a < dim; a++) AddDerivative(dim, surface->origin, places, a, scale, g + dim * surface->face[dim * k + a]);
  }
  for (PetscInt k = 0; k < surface->num_border; k++) {
    const Strip strip = GetStrip(s, surface, k, x);
    for (PetscInt n = 0; n < strip.num; n++)
      for (PetscInt a = 0; a < dim; a++)
        if (strip.vertex[n][a] >= 0) AddDerivative(dim, surface->origin, strip.x[n], a, scale, g + dim * strip.vertex[n][a]);
  }
}

/* Absolute pressure of a gas, or pressure, with the factor of the step. */
static PetscReal Pressure(const Surface *surface, PetscReal volume)
{
  const AbutGasSpec *gas = &surface->spec->gas;

  if (surface->spec->kind == ABUT_LOAD_PRESSURE) return surface->factor * surface->spec->pressure;
  return surface->factor * gas->pressure * PetscPowReal(surface->start_volume / volume, gas->exponent);
}

/* - integral of pressure - ambient pressure from the volume at the start to `volume`. */
static PetscReal Energy(const Surface *surface, PetscReal volume)
{
  const AbutGasSpec *gas   = &surface->spec->gas;
  const PetscReal    start = surface->start_volume, amount = surface->factor * gas->pressure * start, n = gas->exponent;

  if (surface->spec->kind == ABUT_LOAD_PRESSURE) return -surface->factor * surface->spec->pressure * (volume - start);
  if (!(volume > 0)) return PETSC_INFINITY;
  if (n == 1) return -amount * PetscLogReal(volume / start) + surface->ambient * (volume - start);
  return amount * (PetscPowReal(start / volume, n - 1) - 1) / (n - 1) + surface->ambient * (volume - start);
}

/* Volumes of all loads at local positions: volume[num]. Collective. */
static PetscErrorCode GetVolumes(AbutPressures s, const PetscReal x[], PetscReal volume[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->num; k++) volume[k] = AbutSurfaceVolume(s, &s->surface[k], x);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, volume, (PetscMPIInt)s->num, MPIU_REAL, MPIU_SUM, s->comm));
  for (PetscInt k = 0; k < s->num; k++) volume[k] += s->surface[k].offset;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPressuresEnergy(AbutPressures s, const PetscReal x[], PetscReal *energy)
{
  PetscFunctionBegin;
  PetscCall(GetVolumes(s, x, s->trial));
  *energy = 0;
  for (PetscInt k = 0; k < s->num; k++) *energy += Energy(&s->surface[k], s->trial[k]);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPressuresSetState(AbutPressures s, const PetscReal x[])
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(s->x, x, s->ml->num_local * s->ml->dim));
  PetscCall(GetVolumes(s, x, s->volume));
  for (PetscInt k = 0; k < s->num; k++) {
    s->report[k].volume   = s->surface[k].spec->kind == ABUT_LOAD_GAS ? s->volume[k] : s->volume[k] - s->surface[k].start_volume;
    s->report[k].pressure = Pressure(&s->surface[k], s->volume[k]);
  }
  PetscFunctionReturn(0);
}

void AbutPressuresAddGradient(AbutPressures s, PetscReal scale, PetscReal g[])
{
  for (PetscInt k = 0; k < s->num; k++)
    AddVolumeGradient(s, &s->surface[k], s->x, -scale * (s->report[k].pressure - s->surface[k].ambient), g);
}

/* Adds `pressure` times an equal share of the area vector, against the outer normal, to the vertices of each face. */
static void AddFaceForces(AbutPressures s, const Surface *surface, PetscReal pressure, PetscReal force[])
{
  const PetscInt  dim   = s->ml->dim;
  const PetscReal share = -pressure / (dim == 3 ? 6 : 2);

  for (PetscInt k = 0; k < surface->num; k++) {
    const PetscInt  *v = surface->face + dim * k;
    const PetscReal *places[3];
    PetscReal        sum[3] = {0, 0, 0}; /* of the derivatives: the area vector, in 3D twice of it */
    for (PetscInt a = 0; a < dim; a++) places[a] = s->x + dim * v[a];
    for (PetscInt a = 0; a < dim; a++) AddDerivative(dim, surface->origin, places, a, share, sum);
    for (PetscInt a = 0; a < dim; a++)
      for (PetscInt i = 0; i < dim; i++) force[dim * v[a] + i] += sum[i];
  }
}

PetscErrorCode AbutPressuresAddForces(AbutPressures s, PetscInt load, PetscReal force[])
{
  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(0);
  PetscCall(PetscArrayzero(s->gradient, s->ml->num_local * s->ml->dim));
  for (PetscInt k = 0; k < s->num; k++)
    if (load < 0 || s->report[k].load == load) AddFaceForces(s, &s->surface[k], s->report[k].pressure - s->surface[k].ambient, s->gradient);
  PetscCall(AbutMeshReduceAdd(s->mesh, s->ml->dim, s->gradient));
  for (PetscInt i = 0; i < s->ml->num_owned * s->ml->dim; i++) force[i] += s->gradient[i];
  PetscFunctionReturn(0);
}

void AbutPressuresGetPattern(AbutPressures s, AbutStencilList *stencils)
{
  *stencils = (AbutStencilList){s->num_stencils, s->stencil_start, s->stencil};
}

/*
  Hessian of the volume of a face: symmetric part of the derivative of equal forces, a third (2D: half) of the face's area vector, on its
  vertices. Summed over a surface it is exact on free unknowns, and a face has entries of its own size, so that projection adds little.
*/
static void FaceHessian(PetscInt dim, const PetscReal *const x[], PetscReal scale, PetscReal H[])
{
  const PetscInt n = dim * dim;
  PetscReal      D[3][9];

  memset(H, 0, (size_t)(n * n) * sizeof(*H));
  for (PetscInt a = 0; a < dim; a++) { /* D[a]: derivative of the area vector, in 3D twice of it, by vertex a */
    if (dim == 3) {
      PetscReal e[3];
      for (int i = 0; i < 3; i++) e[i] = x[(a + 2) % 3][i] - x[(a + 1) % 3][i];
      memcpy(D[a], (PetscReal[]){0, -e[2], e[1], e[2], 0, -e[0], -e[1], e[0], 0}, 9 * sizeof(PetscReal));
    } else {
      memcpy(D[a], a == 0 ? (PetscReal[]){0, -1, 1, 0} : (PetscReal[]){0, 1, -1, 0}, 4 * sizeof(PetscReal));
    }
  }
  for (PetscInt a = 0; a < dim; a++)
    for (PetscInt b = 0; b < dim; b++)
      for (PetscInt i = 0; i < dim; i++)
        for (PetscInt j = 0; j < dim; j++)
          H[(dim * a + i) * n + dim * b + j] = scale / (dim == 3 ? 12 : 4) * (D[b][dim * i + j] - D[a][dim * i + j]);
}

PetscErrorCode AbutPressuresAddHessian(AbutPressures s, PetscReal scale, AbutProjection projection, AbutAssembler assembler)
{
  const PetscInt dim = s->ml->dim, *v = s->stencil;
  PetscReal      H[81];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->num; k++) {
    const Surface  *surface = &s->surface[k];
    const PetscReal factor  = scale * (s->report[k].pressure - surface->ambient); /* minus of the energy, minus of the outer side */

    for (PetscInt n = 0; n < surface->num; n++, v += dim) {
      const PetscReal *places[3];
      for (PetscInt a = 0; a < dim; a++) places[a] = s->x + dim * surface->face[dim * n + a];
      FaceHessian(dim, places, factor, H);
      AbutProject(dim * dim, projection, H);
      PetscCall(AbutAssemblerAdd(assembler, dim, v, H));
    }
  }
  PetscFunctionReturn(0);
}

PetscInt AbutPressuresNumGases(AbutPressures s)
{
  return s ? s->num_gases : 0;
}

PetscErrorCode AbutPressuresGetColumn(AbutPressures s, PetscInt gas, const PetscBool fixed[], PetscReal *c, PetscScalar z[])
{
  const PetscInt n = s->ml->num_owned * s->ml->dim;
  PetscInt       k = 0;

  PetscFunctionBegin;
  while (s->surface[k].spec->kind != ABUT_LOAD_GAS || gas-- > 0) k++;
  *c = s->surface[k].spec->gas.exponent * s->report[k].pressure / s->volume[k];
  PetscCall(PetscArrayzero(s->gradient, s->ml->num_local * s->ml->dim));
  AddVolumeGradient(s, &s->surface[k], s->x, 1, s->gradient);
  PetscCall(AbutMeshReduceAdd(s->mesh, s->ml->dim, s->gradient));
  for (PetscInt i = 0; i < n; i++) z[i] = fixed[i] ? 0 : s->gradient[i];
  PetscFunctionReturn(0);
}

const AbutPressureReport *AbutPressuresGetReport(AbutPressures s, PetscInt *num)
{
  *num = s ? s->num : 0;
  return s ? s->report : NULL;
}
