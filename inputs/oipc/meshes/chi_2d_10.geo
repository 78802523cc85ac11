// The cusps open by 10 degrees, in chi_2d.geo by 22.2.
h = 0.025;
fine = 0.01;
waist = 0.535 * Cos(10 / 2 * Pi / 180) - 0.5;
Include "chi.geo";
Physical Surface("chi") = {1};
