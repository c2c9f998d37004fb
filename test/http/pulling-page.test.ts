import { expect, test } from "bun:test";
import { textOf } from "../../docs/.vitepress/pages";
import { useService } from "./service";
import { answerTo } from "./wire";

const service = await useService();
const client = await service.newClient();

test("the plain request of docs/pulling.md reads a delivery", async () => {
  const { id } = await client.expecting(201, client.post("/endpoints", { delivery: "pull" }));
  const { key } = await client.expecting(201, client.post(`/endpoints/${id}/receiver-keys`, {}));
  await client.send(id, "order.paid", { order: 4711 });
  const [, block = ""] = /^```http\n(.*?)^```$/ms.exec(textOf("docs/pulling.md")) ?? [];
  const request = block.replace("ENDPOINT", id).replace("RECEIVER_KEY", key);
  const answer = await answerTo(service.url, request.trim().replaceAll("\n", "\r\n"));
  expect(answer).toStartWith("HTTP/1.1 200 OK\r\n");
  expect(answer).toContain('"data":{"order":4711}');
});
