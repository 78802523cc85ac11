/* XDMF index of fields.h5, for ParaView: a temporal collection of spatial collections of bodies and obstacles. */
#include "fieldsimpl.h"
#include <inttypes.h>
#include <stdio.h>

void AbutXdmfItemBegin(AbutText *t, const char format[], const char number_type[], size_t precision, PetscInt rows, PetscInt width)
{
  AbutTextAppend(t, "<DataItem Format=\"%s\" NumberType=\"%s\" Precision=\"%zu\" Dimensions=\"%" PetscInt_FMT, format, number_type,
                 precision, rows);
  if (width > 1) AbutTextAppend(t, " %" PetscInt_FMT, width);
  AbutTextAppend(t, "\">");
}

static void MeshItem(AbutText *t, const char name[], PetscInt rows, PetscInt width)
{
  AbutXdmfItemBegin(t, "HDF", "Int", sizeof(PetscInt), rows, width);
  AbutTextAppend(t, "fields.h5:/mesh/%s</DataItem>\n", name);
}

static void LevelItem(AbutText *t, const AbutLevelIndex *level, const char name[], size_t precision, PetscInt rows, PetscInt width)
{
  AbutXdmfItemBegin(t, "HDF", "Float", precision, rows, width);
  AbutTextAppend(t, "fields.h5:/steps/%06" PRId64 "/%s</DataItem>\n", level->step, name);
}

static void Attribute(AbutText *t, const AbutLevelIndex *level, const char name[], const char dataset[], const char center[],
                      size_t precision, PetscInt rows, PetscInt width)
{
  const char *const type = width == 9 ? "Tensor" : width == 3 ? "Vector" : "Scalar";

  AbutTextAppend(t, "     <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">", name, type, center);
  LevelItem(t, level, dataset, precision, rows, width);
  AbutTextAppend(t, "     </Attribute>\n");
}

/* A vector at all vertices. */
static void VertexAttribute(AbutText *t, const AbutXdmfIndex *index, const AbutLevelIndex *level, const char name[], const char dataset[])
{
  Attribute(t, level, name, dataset, "Node", sizeof(PetscReal), index->num_vertices, 3);
}

/* The fields that a level has in one place. At the nodes of quadratic cells only the velocity differs: its dataset is node_velocity. */
static void Fields(AbutText *t, const AbutXdmfIndex *index, const AbutLevelIndex *level, AbutFieldPlace place, PetscBool nodes)
{
  for (PetscInt k = 0; k < ABUT_NUM_FIELDS; k++) {
    const AbutFieldInfo *f    = &AbutFieldInfos[k];
    const PetscInt       rows = place == ABUT_AT_CELLS     ? index->num_cells
                                : place == ABUT_AT_SURFACE ? index->num_surface[0]
                                                           : index->num_vertices;
    char                 dataset[64];
    if (!(level->fields & 1 << k) || f->place != place) continue;
    snprintf(dataset, sizeof(dataset), "%s%s", nodes && k == ABUT_FIELD_VELOCITY ? "node_" : "", f->name);
    Attribute(t, level, f->name, dataset, place == ABUT_AT_CELLS ? "Cell" : "Node", f->components == 9 ? 4 : sizeof(PetscReal), rows,
              f->components);
  }
}

static void CellAttribute(AbutText *t, const char name[], const char dataset[], PetscInt rows)
{
  AbutTextAppend(t, "     <Attribute Name=\"%s\" AttributeType=\"Scalar\" Center=\"Cell\">", name);
  MeshItem(t, dataset, rows, 1);
  AbutTextAppend(t, "     </Attribute>\n");
}

/*
  Opens a grid over all vertices. Its entities are in `dataset`, their bodies in dataset_body. width: vertices of an entity; 0: entities of
  several kinds, in dataset_topology, at the nodes of quadratic cells.
*/
static void GridBegin(AbutText *t, const AbutXdmfIndex *index, const AbutLevelIndex *level, const char name[], const char topology[],
                      const char dataset[], PetscInt rows, PetscInt width)
{
  const PetscBool few = (PetscBool)(width == 1 || width == 2); /* Polyvertex and Polyline state their number of vertices */
  char            body[64], mixed[64];
  const char     *position = width ? "position" : "node_position", *displacement = width ? "displacement" : "node_displacement";

  AbutTextAppend(t, "    <Grid Name=\"%s\" GridType=\"Uniform\">\n", name);
  AbutTextAppend(t, "     <Topology TopologyType=\"%s\" NumberOfElements=\"%" PetscInt_FMT "\"", topology, rows);
  if (few) AbutTextAppend(t, " NodesPerElement=\"%" PetscInt_FMT "\"", width);
  AbutTextAppend(t, ">");
  snprintf(mixed, sizeof(mixed), "%s_topology", dataset);
  MeshItem(t, width ? dataset : mixed, width ? rows : index->num_topology, PetscMax(width, 1));
  AbutTextAppend(t, "     </Topology>\n     <Geometry GeometryType=\"XYZ\">");
  LevelItem(t, level, position, sizeof(PetscReal), index->num_vertices, 3);
  AbutTextAppend(t, "     </Geometry>\n");
  snprintf(body, sizeof(body), "%s_body", dataset);
  CellAttribute(t, "body", body, rows);
  VertexAttribute(t, index, level, "displacement", displacement);
  Fields(t, index, level, ABUT_AT_VERTICES, (PetscBool)!width);
}

static void Bodies(AbutText *t, const AbutXdmfIndex *index, const AbutLevelIndex *level)
{
  const char *const topology = index->num_topology ? "Mixed" : index->dim == 3 ? "Tetrahedron" : "Triangle";

  GridBegin(t, index, level, "bodies", topology, "cells", index->num_cells, index->num_topology ? 0 : index->dim + 1);
  CellAttribute(t, "rank", "cells_rank", index->num_cells);
  if (index->regions) CellAttribute(t, "region", "cells_region", index->num_cells);
  Fields(t, index, level, ABUT_AT_NODES, PETSC_TRUE);
  Fields(t, index, level, ABUT_AT_CELLS, PETSC_FALSE);
  AbutTextAppend(t, "    </Grid>\n");
}

static void Obstacles(AbutText *t, const AbutXdmfIndex *index, const AbutLevelIndex *level)
{
  static const char *const names[]      = {"obstacle_points", "obstacle_segments", "obstacle_triangles"};
  static const char *const topologies[] = {"Polyvertex", "Polyline", "Triangle"};

  for (PetscInt d = 2; d >= 0; d--) {
    if (!index->num_obstacle[d]) continue;
    GridBegin(t, index, level, names[d], topologies[d], names[d], index->num_obstacle[d], d + 1);
    AbutTextAppend(t, "    </Grid>\n");
  }
}

/* Appends the contact surface with its fields. */
static void Surface(AbutText *t, const AbutXdmfIndex *index, const AbutLevelIndex *level)
{
  AbutTextAppend(
    t, "    <Grid Name=\"surface\" GridType=\"Uniform\">\n     <Topology TopologyType=\"%s\" NumberOfElements=\"%" PetscInt_FMT "\"",
    index->dim == 3 ? "Triangle" : "Polyline", index->num_surface[1]);
  if (index->dim == 2) AbutTextAppend(t, " NodesPerElement=\"2\"");
  AbutTextAppend(t, ">");
  MeshItem(t, "contact_surface", index->num_surface[1], index->dim);
  AbutTextAppend(t, "     </Topology>\n     <Geometry GeometryType=\"XYZ\">");
  LevelItem(t, level, "surface_position", sizeof(PetscReal), index->num_surface[0], 3);
  AbutTextAppend(t, "     </Geometry>\n");
  CellAttribute(t, "body", "contact_surface_body", index->num_surface[1]);
  Fields(t, index, level, ABUT_AT_SURFACE, PETSC_FALSE);
  AbutTextAppend(t, "    </Grid>\n");
}

/* Appends the half spaces, each as a square (2D: a segment) whose corners AbutFieldsWritePlanes() has written. */
static void Planes(AbutText *t, const AbutXdmfIndex *index, const AbutLevelIndex *level)
{
  const PetscInt corners = index->dim == 3 ? 4 : 2, rows = level->num_planes * corners;

  AbutTextAppend(
    t, "    <Grid Name=\"planes\" GridType=\"Uniform\">\n     <Topology TopologyType=\"%s\" NumberOfElements=\"%" PetscInt_FMT "\"",
    index->dim == 3 ? "Quadrilateral" : "Polyline", level->num_planes);
  if (index->dim == 2) AbutTextAppend(t, " NodesPerElement=\"2\"");
  AbutTextAppend(t, ">");
  AbutXdmfItemBegin(t, "XML", "Int", sizeof(PetscInt), level->num_planes, corners);
  for (PetscInt i = 0; i < rows; i++) AbutTextAppend(t, "%s%" PetscInt_FMT, i ? " " : "", i);
  AbutTextAppend(t, "</DataItem>\n     </Topology>\n     <Geometry GeometryType=\"XYZ\">");
  LevelItem(t, level, "planes", sizeof(PetscReal), rows, 3);
  AbutTextAppend(t, "     </Geometry>\n    </Grid>\n");
}

static void Level(AbutText *t, const AbutXdmfIndex *index, const AbutLevelIndex *level)
{
  AbutTextAppend(t, "   <Grid Name=\"step %" PRId64 "\" GridType=\"Collection\" CollectionType=\"Spatial\">\n", level->step);
  AbutTextAppend(t, "    <Time Value=\"");
  AbutTextAppendReal(t, level->time, "inf");
  AbutTextAppend(t, "\"/>\n");
  if (index->num_cells) Bodies(t, index, level);
  Obstacles(t, index, level);
  if (AbutFieldsHaveSurface(level->fields) && index->num_surface[1]) Surface(t, index, level);
  if (level->num_planes) Planes(t, index, level);
  AbutTextAppend(t, "   </Grid>\n");
}

PetscErrorCode AbutXdmfWrite(AbutXdmfIndex *index, const char path[])
{
  AbutText *t = &index->text;

  PetscFunctionBegin;
  t->length = index->num_written ? index->end : 0;
  if (!index->num_written) {
    AbutTextAppend(t, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n <Domain>\n");
    AbutTextAppend(t, "  <Grid Name=\"abut\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
  }
  for (PetscInt i = index->num_written; i < index->num_levels; i++) Level(t, index, &index->levels[i]);
  index->num_written = index->num_levels;
  index->end         = t->length;
  AbutTextAppend(t, "  </Grid>\n </Domain>\n</Xdmf>\n");
  PetscFunctionReturn(AbutTextReplaceFile(t, path, PETSC_FALSE));
}
