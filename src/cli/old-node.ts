// Adds what Node 20 lacks: JSON with exact numbers, and two short forms.
import "core-js/actual/json";
import "core-js/actual/promise/with-resolvers";
import "core-js/actual/url/parse";
