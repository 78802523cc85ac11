/* contacts.xdmf: index of contacts.h5 for ParaView, a temporal collection of points for each method. */
#include "contactsimpl.h"
#include <string.h>

/* A column of contacts.h5. */
static PetscErrorCode Item(AbutText *t, const AbutContactIndexEntry *entry, const char name[], PetscInt width)
{
  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "<DataItem Format=\"HDF\" NumberType=\"Float\" Precision=\"%d\" Dimensions=\"%" PetscInt_FMT,
                           (int)sizeof(PetscReal), entry->contacts));
  if (width > 1) PetscCall(AbutTextAppend(t, " %" PetscInt_FMT, width));
  PetscCall(AbutTextAppend(t, "\">contacts.h5:/%s/%06" PetscInt_FMT "/%s</DataItem>", entry->method, entry->step, name));
  PetscFunctionReturn(0);
}

static PetscErrorCode Attribute(AbutText *t, const AbutContactIndexEntry *entry, const char name[], PetscInt width)
{
  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "    <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Node\">", name, width == 3 ? "Vector" : "Scalar"));
  PetscCall(Item(t, entry, name, width));
  PetscCall(AbutTextAppend(t, "</Attribute>\n"));
  PetscFunctionReturn(0);
}

static PetscErrorCode Points(AbutText *t, const AbutContactIndexEntry *entry)
{
  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "   <Grid Name=\"step %" PetscInt_FMT "\" GridType=\"Uniform\">\n    <Time Value=\"", entry->step));
  PetscCall(AbutTextAppendReal(t, entry->time, "inf"));
  PetscCall(AbutTextAppend(
    t, "\"/>\n    <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%" PetscInt_FMT "\"/>\n    <Geometry GeometryType=\"XYZ\">",
    entry->contacts));
  PetscCall(Item(t, entry, "position", 3));
  PetscCall(AbutTextAppend(t, "</Geometry>\n"));
  PetscCall(Attribute(t, entry, "normal", 3));
  PetscCall(Attribute(t, entry, "weight", 1));
  PetscCall(Attribute(t, entry, "separation", 1));
  PetscCall(Attribute(t, entry, "match", 1));
  PetscCall(AbutTextAppend(t, "   </Grid>\n"));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactXdmfWrite(AbutContactResults r)
{
  AbutText       t = {0};
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(AbutTextAppend(&t, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n <Domain>\n"));
  for (PetscInt i = 0; i < r->num_entries; i++) {
    const AbutContactIndexEntry *entry = &r->entries[i];
    const PetscBool first = (PetscBool)(!i || strcmp(entry->method, entry[-1].method)), last = (PetscBool)(i + 1 == r->num_entries);

    if (first) PetscCall(AbutTextAppend(&t, "  <Grid Name=\"%s\" GridType=\"Collection\" CollectionType=\"Temporal\">\n", entry->method));
    if (entry->contacts) PetscCall(Points(&t, entry)); /* readers refuse grids without points */
    if (last || strcmp(entry->method, entry[1].method)) PetscCall(AbutTextAppend(&t, "  </Grid>\n"));
  }
  PetscCall(AbutTextAppend(&t, " </Domain>\n</Xdmf>\n"));
  code = AbutTextReplaceFile(&t, r->xdmf, PETSC_FALSE);
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(code);
}
