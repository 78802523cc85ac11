/* contacts.xdmf: index of contacts.h5 for ParaView, a temporal collection of points for each method. */
#include "results.h"
#include <string.h>

/* A column of contacts.h5. */
static void Item(AbutText *t, const AbutContactIndexEntry *entry, const char name[], PetscInt width)
{
  AbutXdmfItemBegin(t, "HDF", "Float", sizeof(PetscReal), entry->contacts, width);
  AbutTextAppend(t, "contacts.h5:/%s/%06" PetscInt_FMT "/%s</DataItem>", entry->method, entry->step, name);
}

static void Attribute(AbutText *t, const AbutContactIndexEntry *entry, const char name[], PetscInt width)
{
  AbutTextAppend(t, "    <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Node\">", name, width == 3 ? "Vector" : "Scalar");
  Item(t, entry, name, width);
  AbutTextAppend(t, "</Attribute>\n");
}

static void Points(AbutText *t, const AbutContactIndexEntry *entry)
{
  AbutTextAppend(t, "   <Grid Name=\"step %" PetscInt_FMT "\" GridType=\"Uniform\">\n    <Time Value=\"", entry->step);
  AbutTextAppendReal(t, entry->time, "inf");
  AbutTextAppend(
    t, "\"/>\n    <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%" PetscInt_FMT "\"/>\n    <Geometry GeometryType=\"XYZ\">",
    entry->contacts);
  Item(t, entry, "position", 3);
  AbutTextAppend(t, "</Geometry>\n");
  Attribute(t, entry, "normal", 3);
  Attribute(t, entry, "weight", 1);
  Attribute(t, entry, "separation", 1);
  Attribute(t, entry, "match", 1);
  AbutTextAppend(t, "   </Grid>\n");
}

PetscErrorCode AbutContactXdmfWrite(AbutContactResults r)
{
  AbutText       t = {0};
  PetscErrorCode code;

  PetscFunctionBegin;
  AbutTextAppend(&t, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n <Domain>\n");
  for (PetscInt i = 0; i < r->num_entries; i++) {
    const AbutContactIndexEntry *entry = &r->entries[i];
    const PetscBool first = (PetscBool)(!i || strcmp(entry->method, entry[-1].method)), last = (PetscBool)(i + 1 == r->num_entries);

    if (first) AbutTextAppend(&t, "  <Grid Name=\"%s\" GridType=\"Collection\" CollectionType=\"Temporal\">\n", entry->method);
    if (entry->contacts) Points(&t, entry); /* readers refuse grids without points */
    if (last || strcmp(entry->method, entry[1].method)) AbutTextAppend(&t, "  </Grid>\n");
  }
  AbutTextAppend(&t, " </Domain>\n</Xdmf>\n");
  code = AbutTextReplaceFile(&t, r->xdmf, PETSC_FALSE);
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(code);
}
