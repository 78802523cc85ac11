/* XDMF index of fields.h5, for ParaView: a temporal collection of spatial collections of bodies and obstacles. */
#include "resultsimpl.h"
#include <inttypes.h>

static PetscErrorCode Open(AbutText *t, const char number_type[], int precision, PetscInt rows, PetscInt width)
{
  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "<DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%d\" Dimensions=\"%" PetscInt_FMT, number_type,
                           precision, rows));
  if (width > 1) PetscCall(AbutTextAppend(t, " %" PetscInt_FMT, width));
  PetscCall(AbutTextAppend(t, "\">fields.h5:"));
  PetscFunctionReturn(0);
}

static PetscErrorCode MeshItem(AbutText *t, const char name[], PetscInt rows, PetscInt width)
{
  PetscFunctionBegin;
  PetscCall(Open(t, "Int", (int)sizeof(PetscInt), rows, width));
  PetscCall(AbutTextAppend(t, "/mesh/%s</DataItem>\n", name));
  PetscFunctionReturn(0);
}

static PetscErrorCode LevelItem(AbutText *t, const AbutLevelIndex *level, const char name[], int precision, PetscInt rows, PetscInt width)
{
  PetscFunctionBegin;
  PetscCall(Open(t, "Float", precision, rows, width));
  PetscCall(AbutTextAppend(t, "/steps/%06" PRId64 "/%s</DataItem>\n", level->step, name));
  PetscFunctionReturn(0);
}

static PetscErrorCode Attribute(AbutText *t, const AbutLevelIndex *level, const char name[], const char center[], int precision,
                                PetscInt rows, PetscInt width)
{
  const char *const type = width == 9 ? "Tensor" : width == 3 ? "Vector" : "Scalar";

  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "     <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">", name, type, center));
  PetscCall(LevelItem(t, level, name, precision, rows, width));
  PetscCall(AbutTextAppend(t, "     </Attribute>\n"));
  PetscFunctionReturn(0);
}

static PetscErrorCode CellAttribute(AbutText *t, const char name[], const char dataset[], PetscInt rows)
{
  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "     <Attribute Name=\"%s\" AttributeType=\"Scalar\" Center=\"Cell\">", name));
  PetscCall(MeshItem(t, dataset, rows, 1));
  PetscCall(AbutTextAppend(t, "     </Attribute>\n"));
  PetscFunctionReturn(0);
}

/* Opens a grid over all vertices. Its entities are in `dataset`, their bodies in dataset_body. */
static PetscErrorCode GridBegin(AbutText *t, const AbutXdmfIndex *index, const AbutLevelIndex *level, const char name[],
                                const char topology[], const char dataset[], PetscInt rows, PetscInt width)
{
  const PetscBool few = (PetscBool)(width <= 2); /* Polyvertex and Polyline state their number of vertices */
  char            body[64];

  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "    <Grid Name=\"%s\" GridType=\"Uniform\">\n", name));
  PetscCall(AbutTextAppend(t, "     <Topology TopologyType=\"%s\" NumberOfElements=\"%" PetscInt_FMT "\"", topology, rows));
  if (few) PetscCall(AbutTextAppend(t, " NodesPerElement=\"%" PetscInt_FMT "\"", width));
  PetscCall(AbutTextAppend(t, ">"));
  PetscCall(MeshItem(t, dataset, rows, width));
  PetscCall(AbutTextAppend(t, "     </Topology>\n     <Geometry GeometryType=\"XYZ\">"));
  PetscCall(LevelItem(t, level, "position", (int)sizeof(PetscReal), index->num_vertices, 3));
  PetscCall(AbutTextAppend(t, "     </Geometry>\n"));
  PetscCall(PetscSNPrintf(body, sizeof(body), "%s_body", dataset));
  PetscCall(CellAttribute(t, "body", body, rows));
  PetscCall(Attribute(t, level, "displacement", "Node", (int)sizeof(PetscReal), index->num_vertices, 3));
  if (level->fields & ABUT_FIELD_VELOCITY)
    PetscCall(Attribute(t, level, "velocity", "Node", (int)sizeof(PetscReal), index->num_vertices, 3));
  if (level->fields & ABUT_FIELD_CONTACT_FORCE)
    PetscCall(Attribute(t, level, "contact_force", "Node", (int)sizeof(PetscReal), index->num_vertices, 3));
  if (level->fields & ABUT_FIELD_FRICTION_FORCE)
    PetscCall(Attribute(t, level, "friction_force", "Node", (int)sizeof(PetscReal), index->num_vertices, 3));
  PetscFunctionReturn(0);
}

static PetscErrorCode GridEnd(AbutText *t)
{
  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "    </Grid>\n"));
  PetscFunctionReturn(0);
}

static PetscErrorCode Bodies(AbutText *t, const AbutXdmfIndex *index, const AbutLevelIndex *level)
{
  PetscFunctionBegin;
  PetscCall(GridBegin(t, index, level, "bodies", index->dim == 3 ? "Tetrahedron" : "Triangle", "cells", index->num_cells, index->dim + 1));
  PetscCall(CellAttribute(t, "rank", "cells_rank", index->num_cells));
  if (level->fields & ABUT_FIELD_MISES) PetscCall(Attribute(t, level, "von_mises", "Cell", (int)sizeof(PetscReal), index->num_cells, 1));
  if (level->fields & ABUT_FIELD_CAUCHY) PetscCall(Attribute(t, level, "cauchy", "Cell", 4, index->num_cells, 9));
  PetscCall(GridEnd(t));
  PetscFunctionReturn(0);
}

static PetscErrorCode Obstacles(AbutText *t, const AbutXdmfIndex *index, const AbutLevelIndex *level)
{
  PetscFunctionBegin;
  if (index->num_triangles) {
    PetscCall(GridBegin(t, index, level, "obstacle_triangles", "Triangle", "obstacle_triangles", index->num_triangles, 3));
    PetscCall(GridEnd(t));
  }
  if (index->num_segments) {
    PetscCall(GridBegin(t, index, level, "obstacle_segments", "Polyline", "obstacle_segments", index->num_segments, 2));
    PetscCall(GridEnd(t));
  }
  if (index->num_points) {
    PetscCall(GridBegin(t, index, level, "obstacle_points", "Polyvertex", "obstacle_points", index->num_points, 1));
    PetscCall(GridEnd(t));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode Level(AbutText *t, const AbutXdmfIndex *index, const AbutLevelIndex *level)
{
  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "   <Grid Name=\"step %" PRId64 "\" GridType=\"Collection\" CollectionType=\"Spatial\">\n", level->step));
  PetscCall(AbutTextAppend(t, "    <Time Value=\""));
  PetscCall(AbutTextAppendReal(t, level->time, "inf"));
  PetscCall(AbutTextAppend(t, "\"/>\n"));
  if (index->num_cells) PetscCall(Bodies(t, index, level));
  PetscCall(Obstacles(t, index, level));
  PetscCall(AbutTextAppend(t, "   </Grid>\n"));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutXdmfWrite(AbutXdmfIndex *index, const char path[])
{
  AbutText      *t = &index->text;
  size_t         end;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (!index->num_written) {
    t->length = 0;
    PetscCall(AbutTextAppend(t, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n <Domain>\n"));
    PetscCall(AbutTextAppend(t, "  <Grid Name=\"abut\" GridType=\"Collection\" CollectionType=\"Temporal\">\n"));
  }
  for (; index->num_written < index->num_levels; index->num_written++) PetscCall(Level(t, index, &index->levels[index->num_written]));
  end = t->length;
  PetscCall(AbutTextAppend(t, "  </Grid>\n </Domain>\n</Xdmf>\n"));
  ierr      = AbutTextReplaceFile(t, path, PETSC_FALSE);
  t->length = end;
  PetscFunctionReturn(ierr);
}
