// The cusps open by 40 degrees, in chi_3d.geo by 22.
waist = 0.535 * Cos(40 / 2 * Pi / 180) - 0.5;
Include "chi_3d.geo";
