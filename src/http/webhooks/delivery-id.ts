import { type DeliveryId, fromText } from "../../runtime/ids";
import { notFound } from "../errors";

/** The delivery that a path names; one that is no id at all is a 404 like one that nobody has. */
export function idOf(text: string): DeliveryId {
  const id = fromText("wh", text);
  if (id === null) throw noDelivery();
  return id;
}

export function noDelivery() {
  return notFound("There is no such delivery");
}
