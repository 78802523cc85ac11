/* Numeric options of the method and defaults of the artistic controls. */
#include "deformimpl.h"

static const AbutOption options[] = {{"-abut_deform_max_angle", ABUT_OPTION_REAL, offsetof(AbutDeformConstants, max_angle), 80, 1, 89.9,
                                      "degrees", "Largest angle between the normals of a contact zone and the mapping direction"},
                                     {"-abut_deform_heat_time", ABUT_OPTION_REAL, offsetof(AbutDeformConstants, heat_time), 10, 1e-3, 1e6,
                                      "", "Time of the heat method over the squared mean edge length"},
                                     {"-abut_deform_blend_exponent", ABUT_OPTION_REAL, offsetof(AbutDeformConstants, blend_exponent), 6,
                                      0.1, 100, "",
                                      "Exponent m of the weight (1 - u^2)^m of the mapping direction at distance u from the contact zone"},
                                     {"-abut_deform_profile_u", ABUT_OPTION_REAL, offsetof(AbutDeformConstants, profile_u), 0.2, 0.01, 0.33,
                                      "", "Abscissa of the second control point of the profile at slope 0"},
                                     {"-abut_deform_profile_slope", ABUT_OPTION_REAL, offsetof(AbutDeformConstants, profile_slope), 0.4,
                                      0.01, 1, "", "Height of the second control point over the amplitude at infinite slope"}};
const AbutOptionTable   AbutDeformOptions = {"Contact deformer", PETSC_STATIC_ARRAY_LENGTH(options), options};

void AbutDeformPairControlInit(AbutDeformPairControl *control)
{
  *control = (AbutDeformPairControl){.stiffness = {1, 1}};
}

void AbutDeformSurfaceControlInit(PetscReal extent, AbutDeformSurfaceControl *control)
{
  *control = (AbutDeformSurfaceControl){.extent = extent, .volume = 1, .omega = -1};
}
