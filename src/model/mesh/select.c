/* Selection of vertices by body, box, physical group and id. */
#include "meshimpl.h"
#include <stdio.h>
#include <string.h>

#define NUM_CRITERIA 4 /* body, box, ids, group; every vertex meets a criterion that is not given */
#define BOX_TOLERANCE \
  1e-9 /* enlargement of a box relative to the extent of the bodies: includes vertices on its boundary despite round-off */

/* Whether a body has this name; the name of a grid of copies matches all copies. */
static PetscBool NameMatches(const char name[], const char body[])
{
  const size_t n = strlen(name);
  return (PetscBool)(!n || (!strncmp(name, body, n) && (body[n] == '\0' || body[n] == '[')));
}

/* Marks the selected bodies and computes the union of their bounding boxes. */
static PetscErrorCode ChooseBodies(AbutMesh mesh, const AbutSelectionSpec *selection, const char place[], PetscBool chosen[],
                                   PetscReal box[2][3])
{
  const AbutMeshLocal *local = &mesh->local;
  PetscInt             num   = 0;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < local->num_bodies; b++) {
    chosen[b] = NameMatches(selection->body, local->bodies[b].name);
    if (!chosen[b]) continue;
    for (PetscInt d = 0; d < 3; d++) {
      box[0][d] = num ? PetscMin(box[0][d], local->bodies[b].box[0][d]) : local->bodies[b].box[0][d];
      box[1][d] = num ? PetscMax(box[1][d], local->bodies[b].box[1][d]) : local->bodies[b].box[1][d];
    }
    num++;
  }
  AbutCheck(num, ABUT_ERR_INPUT, "%s: no body or obstacle is named '%s'; the first of %" PetscInt_FMT " names is '%s'", place,
            selection->body, local->num_bodies, local->num_bodies ? local->bodies[0].name : "");
  PetscFunctionReturn(0);
}

/* Corners of the box in metres, enlarged by BOX_TOLERANCE; fractions may be infinite. */
static void ResolveBox(const AbutSelectionSpec *selection, PetscReal bounds[2][3], PetscReal box[2][3])
{
  PetscReal extent = 0;

  for (PetscInt d = 0; d < 3; d++) extent = PetscMax(extent, bounds[1][d] - bounds[0][d]);
  for (PetscInt side = 0; side < 2; side++) {
    for (PetscInt d = 0; d < 3; d++) {
      const PetscReal value = selection->box[side][d];
      box[side][d] = selection->relative && !PetscIsInfOrNanReal(value) ? bounds[0][d] + value * (bounds[1][d] - bounds[0][d]) : value;
      box[side][d] += (side ? 1 : -1) * BOX_TOLERANCE * extent;
    }
  }
}

/* Lists the names of the groups, as many as there is room for. */
static void ListGroups(AbutMesh mesh, size_t size, char text[])
{
  size_t length = (size_t)snprintf(text, size, "%s", mesh->num_groups ? "" : "none");

  for (PetscInt g = 0; g < mesh->num_groups && length < size; g++)
    length += (size_t)snprintf(text + length, size - length, "%s'%s'", g ? ", " : "", mesh->group_names[g]);
  if (length >= size) memcpy(text + size - 4, "...", 4);
}

static PetscErrorCode CheckSelection(AbutMesh mesh, const AbutSelectionSpec *selection, const char place[], const PetscBool chosen[],
                                     PetscInt *group)
{
  const AbutMeshLocal *local = &mesh->local;
  char                 names[256];

  PetscFunctionBegin;
  for (PetscInt b = 0; b < local->num_bodies; b++) {
    const PetscInt num = local->bodies[b].vertex_end - local->bodies[b].vertex_start;
    for (PetscInt i = 0; chosen[b] && i < selection->num_ids; i++)
      AbutCheck(selection->ids[i] >= 0 && selection->ids[i] < num, ABUT_ERR_INPUT,
                "%s: vertex number %" PetscInt_FMT " of '%s' is out of range [0, %" PetscInt_FMT "]", place, selection->ids[i],
                local->bodies[b].name, num - 1);
  }
  *group = -1;
  if (!selection->group[0]) PetscFunctionReturn(0);
  for (PetscInt g = 0; g < mesh->num_groups; g++)
    if (!strcmp(mesh->group_names[g], selection->group)) *group = g;
  if (*group < 0) ListGroups(mesh, sizeof(names), names);
  AbutCheck(*group >= 0, ABUT_ERR_INPUT, "%s: no mesh file has a physical group '%s'; the files have %s", place, selection->group, names);
  PetscFunctionReturn(0);
}

/* Adds to listed[num_owned] the vertices on edges of quadratic cells between listed corners. Collective. */
static PetscErrorCode AddEdges(AbutMesh mesh, PetscInt listed[])
{
  const AbutMeshLocal *m = &mesh->local;
  PetscReal           *corner, *middle;

  PetscFunctionBegin;
  if (!m->middles) PetscFunctionReturn(0);
  PetscCall(PetscCalloc2(m->num_local, &corner, m->num_local, &middle));
  for (PetscInt v = 0; v < m->num_owned; v++) corner[v] = listed[v];
  PetscCall(AbutMeshUpdateGhosts(mesh, 1, corner));
  for (PetscInt i = 0; i < m->num_cells * AbutNumCellEdges(m->dim); i++) {
    const PetscInt c = i / AbutNumCellEdges(m->dim), e = i % AbutNumCellEdges(m->dim);

    if (m->middles[i] >= 0 && corner[AbutCellNode(m, c, AbutCellEdgeCorner(e, 0))] > 0 &&
        corner[AbutCellNode(m, c, AbutCellEdgeCorner(e, 1))] > 0)
      middle[m->middles[i]] = 1;
  }
  PetscCall(AbutMeshReduceAdd(mesh, 1, middle));
  for (PetscInt v = 0; v < m->num_owned; v++)
    if (middle[v] > 0) listed[v] = 1;
  PetscCall(PetscFree2(corner, middle));
  PetscFunctionReturn(0);
}

/* Whether each owned vertex is listed by `ids`; all are if there is no list. Collective. */
static PetscErrorCode FindListed(AbutMesh mesh, const AbutSelectionSpec *selection, PetscInt listed[])
{
  const AbutMeshLocal *m = &mesh->local;
  PetscInt            *ids, num_ids = selection->num_ids, at;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < m->num_owned; v++) listed[v] = 1;
  if (!num_ids) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(num_ids, &ids));
  PetscCall(PetscArraycpy(ids, selection->ids, num_ids));
  PetscCall(PetscSortRemoveDupsInt(&num_ids, ids));
  for (PetscInt v = 0; v < m->num_owned; v++) {
    PetscCall(PetscFindInt(m->vertex_id[v] - m->bodies[m->vertex_body[v]].vertex_start, num_ids, ids, &at));
    listed[v] = at >= 0;
  }
  PetscCall(PetscFree(ids));
  PetscCall(AddEdges(mesh, listed));
  PetscFunctionReturn(0);
}

/* Sets in[v] to the number of criteria that owned vertex v meets. */
static PetscErrorCode CountCriteria(AbutMesh mesh, const AbutSelectionSpec *selection, const PetscBool chosen[], PetscReal box[2][3],
                                    PetscInt group, PetscInt in[])
{
  const AbutMeshLocal *local = &mesh->local;
  PetscInt            *listed;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(local->num_owned, &listed));
  PetscCall(FindListed(mesh, selection, listed));
  for (PetscInt v = 0; v < local->num_owned; v++) {
    PetscBool inside = PETSC_TRUE;

    in[v] = chosen[local->vertex_body[v]];
    for (PetscInt d = 0; selection->has_box && d < local->dim; d++)
      inside = (PetscBool)(inside && local->rest[v * local->dim + d] >= box[0][d] && local->rest[v * local->dim + d] <= box[1][d]);
    in[v] += inside;
    in[v] += listed[v];
    in[v] += group < 0;
  }
  for (PetscInt k = group < 0 ? 0 : mesh->part.group_start[group]; group >= 0 && k < mesh->part.group_start[group + 1]; k++)
    in[mesh->part.group_vertex[k]]++;
  PetscCall(PetscFree(listed));
  PetscFunctionReturn(0);
}

/* Finds the selected vertices. All checks before the last reduction have the same result on all ranks. */
static PetscErrorCode Select(AbutMesh mesh, const AbutSelectionSpec *selection, const char place[], PetscBool chosen[], PetscInt in[],
                             PetscInt *count, PetscInt **vertices)
{
  const PetscInt num          = mesh->local.num_owned;
  PetscReal      bounds[2][3] = {{0}}, box[2][3];
  PetscInt       group        = -1, total;

  PetscFunctionBegin;
  PetscCall(ChooseBodies(mesh, selection, place, chosen, bounds));
  PetscCall(CheckSelection(mesh, selection, place, chosen, &group));
  ResolveBox(selection, bounds, box);
  PetscCall(CountCriteria(mesh, selection, chosen, box, group, in));
  *count = 0;
  for (PetscInt v = 0; v < num; v++) *count += in[v] == NUM_CRITERIA;
  PetscCallMPI(MPI_Allreduce(count, &total, 1, MPIU_INT, MPI_SUM, mesh->comm));
  AbutCheck(total, ABUT_ERR_INPUT, "%s: the selection (body '%s'%s%s%s%s) has no vertices", place,
            selection->body[0] ? selection->body : "any", selection->has_box ? ", box" : "", selection->group[0] ? ", group " : "",
            selection->group, selection->num_ids ? ", ids" : "");
  PetscCall(PetscMalloc1(*count, vertices));
  *count = 0;
  for (PetscInt v = 0; v < num; v++)
    if (in[v] == NUM_CRITERIA) (*vertices)[(*count)++] = v;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshSelect(AbutMesh mesh, const AbutSelectionSpec *selection, const char place[], PetscInt *count, PetscInt **vertices)
{
  PetscBool     *chosen;
  PetscInt      *in;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *count    = 0;
  *vertices = NULL;
  PetscCall(PetscMalloc2(mesh->local.num_bodies, &chosen, mesh->local.num_owned, &in));
  ierr = Select(mesh, selection, place, chosen, in, count, vertices);
  PetscCall(PetscFree2(chosen, in));
  PetscFunctionReturn(ierr);
}
