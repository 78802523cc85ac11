// chi_3d.geo extruded to 0.7 m instead of 0.15 m.
h = 0.05;
fine = 0.025;
Include "chi.geo";
depth[] = Extrude {0, 0, 0.7} { Surface{1}; };
Physical Volume("chi") = {depth[1]};
Mesh.Algorithm3D = 1;
