package dev.hermod.json;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

/** Can be null. */
@Documented
@Target(ElementType.TYPE_USE)
public @interface Nullable {}
