// Connecting rod, lengths in metres: the large eye about the origin, the small eye about (L, 0, 0), a web between them.
SetFactory("OpenCASCADE");
L = 0.100;                                 // distance of the eyes
R = 0.022; Bore = 0.010; Thick = 0.020;    // large eye: outer radius, radius of its bore, thickness
r = 0.015; Pin = 0.007; Thin = 0.014;      // small eye: the same
Height = 0.018; Web = 0.010;               // web: height and thickness

Cylinder(1) = {0, 0, -Thick / 2, 0, 0, Thick, R};
Cylinder(2) = {L, 0, -Thin / 2, 0, 0, Thin, r};
Box(3) = {0, -Height / 2, -Web / 2, L, Height, Web};
BooleanUnion(4) = {Volume{1}; Delete;}{Volume{2, 3}; Delete;};
Cylinder(5) = {0, 0, -Thick, 0, 0, 2 * Thick, Bore};
Cylinder(6) = {L, 0, -Thick, 0, 0, 2 * Thick, Pin};
BooleanDifference(7) = {Volume{4}; Delete;}{Volume{5, 6}; Delete;};

wall() = Surface In BoundingBox{L - 1.01 * Pin, -1.01 * Pin, -Thin, L + 1.01 * Pin, 1.01 * Pin, Thin};
Physical Volume("rod") = {7};
Physical Surface("pin") = {wall()};        // wall of the small bore
