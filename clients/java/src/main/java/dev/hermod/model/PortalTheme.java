// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;

public final class PortalTheme extends Input {
    public PortalTheme accent(@Nullable String accent) { return with(this, "accent", accent); }

    public PortalTheme accentDark(@Nullable String accentDark) { return with(this, "accent_dark", accentDark); }

    public PortalTheme background(@Nullable String background) { return with(this, "background", background); }

    public PortalTheme font(@Nullable String font) { return with(this, "font", font); }

    public PortalTheme mode(@Nullable String mode) { return with(this, "mode", mode); }

    public PortalTheme onAccent(@Nullable String onAccent) { return with(this, "on_accent", onAccent); }

    public PortalTheme radius(@Nullable String radius) { return with(this, "radius", radius); }
}
