"""Impact of two bars: stress of the wave, contact time and lost speed with every integrator, at the orders of a shock that h follows."""
from abut_runs import expect, scratch
from studies import study

# A scheme of order p smears a jump of the stress over the width h^(p / (p + 1)), as viscosity (p = 1) and dispersion (p = 2) do; the bars
# lose a share of their speed in proportion. With Newmark lumped masses and linear cells alone are of second order.
ORDERS = {"implicit-euler": 1 / 2, "bdf2": 2 / 3, "contact-implicit-newmark": 2 / 3}

with scratch() as folder:
    rows = study(folder, "--case", "bar_impact", "--levels", "2")
    for integrator, order in ORDERS.items():
        coarse, fine = (row for row in rows if row["rule"] == integrator)
        expect(abs(fine["stress"]) < 0.02, integrator, "stress of the wave is", fine["stress"], "off")
        expect(-0.1 < fine["duration"] < 0.02, integrator, "contact time is", fine["duration"], "off")
        expect(0 < fine["loss"] < coarse["loss"] < 0.3, integrator, "lost speed:", coarse["loss"], fine["loss"])
        ratio = coarse["loss"] / fine["loss"]
        expect(2 ** (order - 0.1) < ratio < 2 ** (order + 0.1), integrator, "loss falls by", ratio, "instead of", 2**order)
print("ok")
