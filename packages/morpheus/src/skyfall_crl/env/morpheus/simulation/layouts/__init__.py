"""The layouts a world can be built from, by name."""

from importlib import import_module

from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.ports.errors import ConfigError

_MODULES = {
    "process-outbound": "process_outbound",
    "process-inbound": "process_inbound",
    "perishables-food-manufacturer": "perishables_food_manufacturer",
    "erp-order-to-cash": "erp_order_to_cash",
    "process-outbound/evidence": "process_outbound_evidence",
}


def layout_names() -> tuple[str, ...]:
    """Return the names `layout_named` knows."""
    return tuple(_MODULES)


def layout_named(name: str) -> Layout:
    """Return a layout; raises `ConfigError` for a name nobody knows."""
    if name not in _MODULES:
        raise ConfigError(f"layout: expected one of {', '.join(_MODULES)}, found {name!r}")
    layout = import_module(f"{__name__}.{_MODULES[name]}").LAYOUT
    assert isinstance(layout, Layout)
    return layout
