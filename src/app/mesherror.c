/*
  Error of the mesh in the elastic energy of bodies, kept where the energy of a body was largest so far. A warning names the worst body:
  early in a run, so that a long one with locking cells can be stopped, or at the end, if the worst steps come later.
*/
#include "app.h"

#define GROWTH   1.2  /* of the elastic energy, after which the error is estimated again */
#define RELEVANT 0.01 /* least energy of a body over that of all bodies */
#define EARLY    10   /* steps after which the first warning comes */
#define AGAIN    1.5  /* share at the end over the one of the first warning, above which there is another one */
/*
  Share that is warned of. Near it estimates are within a third of the true share: 0.10 of 0.11 (beam of 4 linear cells over its height),
  0.09 of 0.13 (pressed pad of 3 cells, Poisson's ratio 0.48), 0.13 of 0.10 (metal block under an indenter); see docs/verification.md.
*/
#define LIMIT 0.1

/* Share of a body's energy that is error; 0 if the body matters little. */
static PetscReal Share(const MeshErrors *errors, PetscInt b)
{
  const AbutElasticError *e = &errors->body[b];

  return e->energy > RELEVANT * errors->energy ? e->error / (e->energy + e->error) : 0;
}

/* Warns if a body exceeds the limit. Collective. */
static PetscErrorCode Warn(MeshErrors *errors, const Progress *progress, const Model *model, PetscInt worst)
{
  const AbutBody *body  = &model->sim.local->bodies[worst];
  PetscInt        count = 0;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < model->sim.local->num_bodies; b++) count += Share(errors, b) > LIMIT;
  if (!count || Share(errors, worst) <= AGAIN * errors->warned) PetscFunctionReturn(0);
  errors->warned = Share(errors, worst);
  PetscCall(ProgressEndLine(progress));
  PetscCall(AbutWarn(progress->comm,
                     "the cells of body '%s' are coarse: about %.0f %% of its elastic energy in step %" PetscInt_FMT
                     " is error of the mesh, so that it deforms too little or resists too much; %s (such bodies: %" PetscInt_FMT ")",
                     body->name, (double)(100 * Share(errors, worst)), errors->step[worst],
                     body->order == 1 ? "give its shape order: 2, or smaller cells" : "give its shape smaller cells", count));
  PetscFunctionReturn(0);
}

/* The body with the largest share. */
static PetscInt Worst(const MeshErrors *errors, const Model *model)
{
  PetscInt worst = 0;

  for (PetscInt b = 1; b < model->sim.local->num_bodies; b++)
    if (Share(errors, b) > Share(errors, worst)) worst = b;
  return worst;
}

/* Estimates the errors, and keeps the ones of bodies whose energy has grown. Collective. */
static PetscErrorCode Estimate(MeshErrors *errors, Model *model, PetscInt step)
{
  const PetscInt    num = model->sim.local->num_bodies;
  AbutElasticError *now;
  PetscReal        *x;

  PetscFunctionBegin;
  if (!errors->body) PetscCall(PetscCalloc2(num, &errors->body, num, &errors->step));
  PetscCall(PetscMalloc1(num, &now));
  PetscCall(ModelGetPositions(model, &x));
  PetscCall(AbutElasticEstimateError(model->sim.elastic, x, now));
  for (PetscInt b = 0; b < num; b++) {
    if (!(now[b].energy > errors->body[b].energy)) continue;
    errors->body[b] = now[b];
    errors->step[b] = step;
  }
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(now));
  PetscFunctionReturn(0);
}

PetscErrorCode MeshErrorsStep(MeshErrors *errors, const Progress *progress, Model *model, PetscInt step, const AbutEnergyReport *energy)
{
  PetscFunctionBegin;
  if (energy->elastic > PetscMax(GROWTH * errors->energy, energy->round_off)) {
    errors->energy = energy->elastic;
    PetscCall(Estimate(errors, model, step));
  }
  if (errors->body && step == progress->first + EARLY) PetscCall(Warn(errors, progress, model, Worst(errors, model)));
  PetscFunctionReturn(0);
}

PetscErrorCode MeshErrorsEnd(MeshErrors *errors, const Progress *progress, const Model *model, AbutStats stats)
{
  PetscInt worst;

  PetscFunctionBegin;
  if (!errors->body) PetscFunctionReturn(0);
  worst = Worst(errors, model);
  if (Share(errors, worst) > 0) AbutStatsSetMeshError(stats, Share(errors, worst), worst);
  PetscCall(Warn(errors, progress, model, worst));
  PetscCall(PetscFree2(errors->body, errors->step));
  PetscFunctionReturn(0);
}
