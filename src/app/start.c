/* Checks of the state at the start of a scene. */
#include "app.h"

PetscErrorCode ModelCheckStart(Model *model, const char directory[], PetscBool list)
{
  PetscReal        *x;
  PetscInt          count, local_count, inversions, forbidden;
  AbutIntersection *crossings;
  PetscErrorCode    verdict = 0;

  PetscFunctionBegin;
  PetscCall(WarnOfActivationDistance(model));
  PetscCall(WarnOfFrictionSpeed(model));
  PetscCall(WarnOfTies(model));
  PetscCall(WarnOfTables(model));
  PetscCall(ModelGetPositions(model, &x));
  PetscCall(ModelCheckCrossings(model, x, &count, &local_count, &crossings));
  if (count && directory[0]) PetscCall(AbutIntersectionsWrite(model->sim.mesh, directory, x, local_count, crossings));
  if (count) verdict = CrossingsRefuse(model, x, count, local_count, crossings, directory, list);
  PetscCall(PetscFree(crossings));
  if (!verdict) verdict = ModelCheckInside(model, x);
  if (!verdict) verdict = WarnOfOwnContacts(model, x);
  if (verdict) PetscCall(PetscFree(x));
  PetscCall(verdict);
  AbutElasticCountInversions(model->sim.elastic, x, &inversions, &forbidden);
  PetscCall(PetscFree(x));
  if (forbidden >= 0)
    verdict = AbutErrorSet(ABUT_ERR_INPUT, "%s: cell %" PetscInt_FMT " of '%s' starts inverted", model->scene->path,
                           model->sim.local->cell_id[forbidden], model->sim.local->bodies[model->sim.local->cell_body[forbidden]].name);
  PetscCall(AbutAgree(model->comm, verdict));
  PetscFunctionReturn(0);
}
