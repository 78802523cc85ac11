/* The deformer: surfaces and pairs of a scene, and one frame. */
#include "deformerimpl.h"
#include <math.h>

void AbutDeformSurfaceControlInit(PetscReal extent, AbutDeformSurfaceControl *control)
{
  *control = (AbutDeformSurfaceControl){.extent = extent, .volume = 1, .omega = -1};
}

PetscErrorCode AbutDeformerCreate(AbutDeformer *deformer)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(deformer));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformerDestroy(AbutDeformer *deformer)
{
  AbutDeformer d = *deformer;

  PetscFunctionBegin;
  if (!d) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < d->num_surfaces; i++) {
    for (PetscInt l = 0; d->surface[i].response && l < DeformerNumRegions(&d->surface[i]); l++)
      PetscCall(AbutResponseDestroy(&d->surface[i].response[l]));
    PetscCall(PetscFree(d->surface[i].response));
  }
  for (PetscInt i = 0; i < d->num_pairs; i++) PetscCall(AbutDeformPairDestroy(&d->pair[i].pair));
  PetscCall(PetscFree(d->surface));
  PetscCall(PetscFree(d->surface_report));
  PetscCall(PetscFree(d->pair));
  PetscCall(PetscFree(d->pair_report));
  PetscCall(PetscFree(*deformer));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformerView(AbutDeformer deformer, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "Deformer: %" PetscInt_FMT " surfaces, %" PetscInt_FMT " pairs\n", deformer->num_surfaces,
                                   deformer->num_pairs));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  for (PetscInt i = 0; i < deformer->num_surfaces; i++) {
    const AbutDeformSurface surface = deformer->surface[i].surface;

    PetscCall(PetscViewerASCIIPrintf(viewer, "surface %" PetscInt_FMT " %s: %" PetscInt_FMT " vertices, %" PetscInt_FMT " triangles, %s\n",
                                     i, surface->name, surface->num_vertices, surface->num_faces, surface->closed ? "closed" : "open"));
  }
  for (PetscInt i = 0; i < deformer->num_pairs; i++) {
    const DeformerPair *pair = &deformer->pair[i];

    PetscCall(
      PetscViewerASCIIPrintf(viewer, "pair %" PetscInt_FMT ": %s and %s\n", i, pair->pair->surface[0]->name, pair->pair->surface[1]->name));
    for (PetscInt s = 0; s < 2; s++)
      if (pair->pair->part[s])
        PetscCall(
          PetscViewerASCIIPrintf(viewer, "  region %" PetscInt_FMT " of %s\n", pair->pair->region[s], pair->pair->surface[s]->name));
  }
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformerAddSurface(AbutDeformer deformer, AbutDeformSurface surface, PetscInt *index)
{
  const AbutColumn columns[] = {{&deformer->surface, sizeof(*deformer->surface)},
                                {&deformer->surface_report, sizeof(*deformer->surface_report)}};

  PetscFunctionBegin;
  PetscCall(AbutReserveColumns(deformer->num_surfaces + 1, &deformer->surface_capacity, 2, columns));
  *index                           = deformer->num_surfaces++;
  deformer->surface[*index]        = (DeformerSurface){.surface = surface};
  deformer->surface_report[*index] = (AbutDeformSurfaceReport){0};
  PetscFunctionReturn(0);
}

/* Appends an entry for a pair of surfaces. */
static PetscErrorCode NewPair(AbutDeformer deformer, PetscInt first, PetscInt second, PetscInt *index)
{
  const AbutColumn columns[] = {{&deformer->pair, sizeof(*deformer->pair)}, {&deformer->pair_report, sizeof(*deformer->pair_report)}};

  PetscFunctionBegin;
  PetscCall(AbutReserveColumns(deformer->num_pairs + 1, &deformer->pair_capacity, 2, columns));
  *index                        = deformer->num_pairs++;
  deformer->pair[*index]        = (DeformerPair){.side = {first, second}};
  deformer->pair_report[*index] = (AbutDeformPairReport){0};
  PetscFunctionReturn(0);
}

/* Whether a vertex belongs to one region only, and to this one. */
static PetscBool HasOwnVertex(const AbutSurfaceRegions *regions, PetscInt num_vertices, PetscInt region)
{
  for (PetscInt v = 0; v < num_vertices; v++)
    if (AbutRegionOwns(regions, region, v)) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode CheckRegion(AbutDeformSurface surface, PetscInt region)
{
  PetscFunctionBegin;
  AbutCheck(surface->regions || !region, ABUT_ERR_INPUT, "surface %s: a pair of regions needs a region map of the surface", surface->name);
  AbutCheck(region >= 0 && region < (surface->regions ? surface->regions->num : 1), ABUT_ERR_INPUT,
            "surface %s: a pair has the region %" PetscInt_FMT ", must be in 0..%" PetscInt_FMT, surface->name, region,
            surface->regions ? surface->regions->num - 1 : 0);
  AbutCheck(!surface->regions || HasOwnVertex(surface->regions, surface->num_vertices, region), ABUT_ERR_INPUT,
            "surface %s: the region %" PetscInt_FMT " of a pair has no vertex that belongs to it alone", surface->name, region);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformerAddPair(AbutDeformer deformer, const PetscInt surface[2], const PetscInt region[2], PetscInt *index)
{
  AbutDeformSurface side[2];

  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; s++) {
    AbutCheck(surface[s] >= 0 && surface[s] < deformer->num_surfaces, ABUT_ERR_INPUT,
              "a pair has the surface %" PetscInt_FMT ", must be in 0..%" PetscInt_FMT, surface[s], deformer->num_surfaces - 1);
    side[s] = deformer->surface[surface[s]].surface;
    if (region) PetscCall(CheckRegion(side[s], region[s]));
  }
  AbutCheck(side[0] != side[1] || (region && region[0] != region[1]), ABUT_ERR_INPUT,
            "surface %s: a pair of a surface with itself needs two different regions", side[0]->name);
  PetscCall(NewPair(deformer, surface[0], surface[1], index));
  PetscCall(AbutDeformPairCreate(side[0], side[1], &deformer->pair[*index].pair));
  if (region) PetscCall(AbutDeformPairSetRegions(deformer->pair[*index].pair, region));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformerGetReports(AbutDeformer deformer, const AbutDeformPairReport *pairs[], const AbutDeformSurfaceReport *surfaces[])
{
  PetscFunctionBegin;
  *pairs    = deformer->pair_report;
  *surfaces = deformer->surface_report;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformerGetContacts(AbutDeformer deformer, PetscInt surface, PetscInt pair[])
{
  const PetscInt nv = deformer->surface[surface].surface->num_vertices;
  PetscReal     *depth;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nv, &depth));
  for (PetscInt v = 0; v < nv; v++) pair[v] = -1;
  for (PetscInt p = 0; p < deformer->num_pairs; p++) {
    for (PetscInt s = 0; s < 2; s++) {
      const AbutContactZone *zone    = &deformer->pair[p].pair->zone[s];
      const AbutMapping     *mapping = &deformer->pair[p].pair->mapping[s];

      for (PetscInt i = 0; deformer->pair[p].side[s] == surface && i < zone->num; i++) {
        const PetscInt  v = zone->vertex[i];
        const PetscReal d = mapping->point[mapping->index[v]].depth;

        if (pair[v] >= 0 && depth[v] >= d) continue;
        pair[v]  = p;
        depth[v] = d;
      }
    }
  }
  PetscCall(PetscFree(depth));
  PetscFunctionReturn(0);
}

/* ---- One frame */

static PetscErrorCode CheckControls(AbutDeformer deformer, const AbutDeformPairControl pairs[], const AbutDeformSurfaceControl surfaces[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < deformer->num_pairs; i++) {
    const AbutDeformPairControl *c = &pairs[i];
    const PetscReal             *k = c->stiffness, *d = c->direction;
    const char                  *of[2] = {deformer->pair[i].pair->surface[0]->name, deformer->pair[i].pair->surface[1]->name};

    AbutCheck(k[0] >= 0 && k[1] >= 0 && k[0] + k[1] > 0 && isfinite(k[0] + k[1]), ABUT_ERR_INPUT,
              "surfaces %s and %s: the stiffnesses %g and %g must be >= 0, and one above 0", of[0], of[1], (double)k[0], (double)k[1]);
    AbutCheck(isfinite(c->tau), ABUT_ERR_INPUT, "surfaces %s and %s: tau must be finite", of[0], of[1]);
    AbutCheck(isfinite(d[0]) && isfinite(d[1]) && isfinite(d[2]), ABUT_ERR_INPUT, "surfaces %s and %s: the direction must be finite", of[0],
              of[1]);
  }
  for (PetscInt i = 0; i < deformer->num_surfaces; i++) {
    const AbutDeformSurfaceControl *c    = &surfaces[i];
    const char                     *name = deformer->surface[i].surface->name;

    AbutCheck(c->extent > 0 && isfinite(c->extent), ABUT_ERR_INPUT, "surface %s: the extent %g must be above 0", name, (double)c->extent);
    AbutCheck(isfinite(c->volume) && isfinite(c->omega) && isfinite(c->wave) && isfinite(c->wave_count), ABUT_ERR_INPUT,
              "surface %s: a control of the bulge is not finite", name);
  }
  PetscFunctionReturn(0);
}

static void ClearZones(AbutDeformPair *pair)
{
  for (PetscInt s = 0; s < 2; s++) {
    AbutContactZone *zone = &pair->zone[s];

    for (PetscInt i = 0; i < zone->num; i++) zone->contains[zone->vertex[i]] = PETSC_FALSE;
    zone->num = zone->num_border = 0;
  }
}

/* Whether a side that has to move is too coarse to have a vertex in its zone: then the other side would move by its share alone. */
static PetscBool LacksZone(const AbutDeformPair *pair)
{
  for (PetscInt s = 0; s < 2; s++)
    if (!pair->zone[s].num && pair->mapping[s].stiffness < 1) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Crossings of the faces that belong to the regions of a pair. On a closed curve there are as many as pieces. */
static PetscInt CountCrossings(const AbutDeformPair *pair)
{
  PetscInt num = 0;

  if (!pair->part[0] && !pair->part[1]) return pair->curve.num_crossings;
  for (PetscInt i = 0; i < pair->curve.num_pieces; i++)
    num += AbutPairHasFace(pair, 0, pair->curve.piece[i].face[0]) && AbutPairHasFace(pair, 1, pair->curve.piece[i].face[1]);
  return num;
}

/* Lines 2 to 29 of Algorithm 1 for one pair. */
static PetscErrorCode SolvePair(AbutDeformer deformer, PetscInt i)
{
  AbutDeformPair       *pair   = deformer->pair[i].pair;
  AbutDeformPairReport *report = &deformer->pair_report[i];

  PetscFunctionBegin;
  PetscCall(AbutDeformPairIntersect(pair));
  report->num_crossings = CountCrossings(pair);
  report->intersects    = (PetscBool)(report->num_crossings > 0);
  if (!report->intersects) PetscFunctionReturn(0);
  PetscCall(AbutDeformPairMap(pair));
  if (!pair->mapping[0].num && !pair->mapping[1].num) PetscFunctionReturn(0);
  PetscCall(PetscArraycpy(report->direction, pair->direction, 3));
  PetscCall(AbutZoneThreshold(pair, &report->threshold));
  for (PetscInt s = 0; s < 2; s++) {
    for (PetscInt k = 0; k < pair->mapping[s].num; k++) report->depth = PetscMax(report->depth, pair->mapping[s].point[k].depth);
  }
  PetscCall(AbutZoneExtract(pair, report->threshold));
  if (LacksZone(pair)) ClearZones(pair);
  for (PetscInt s = 0; s < 2; s++) report->num_zone[s] = pair->zone[s].num;
  PetscFunctionReturn(0);
}

static PetscErrorCode SolvePairs(AbutDeformer deformer, const AbutDeformPairControl controls[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < deformer->num_pairs; i++) {
    deformer->pair[i].pair->control = controls[i];
    deformer->pair_report[i]        = (AbutDeformPairReport){0};
    ClearZones(deformer->pair[i].pair);
    PetscCall(SolvePair(deformer, i));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformerSolve(AbutDeformer deformer, const PetscReal *const x[], const AbutDeformPairControl pairs[],
                                 const AbutDeformSurfaceControl surfaces[], PetscReal *const y[])
{
  PetscFunctionBegin;
  PetscCall(CheckControls(deformer, pairs, surfaces));
  for (PetscInt i = 0; i < deformer->num_surfaces; i++) PetscCall(AbutDeformSurfaceSetPositions(deformer->surface[i].surface, x[i]));
  PetscCall(SolvePairs(deformer, pairs));
  for (PetscInt i = 0; i < deformer->num_surfaces; i++) PetscCall(AbutDeformerSolveSurface(deformer, i, &surfaces[i], y[i]));
  AbutDeformerSetMismatch(deformer, y);
  PetscCall(AbutDeformerSetPenetration(deformer, y));
  PetscFunctionReturn(0);
}
