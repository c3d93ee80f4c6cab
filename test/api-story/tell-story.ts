import { hasPostgres } from "../postgres/find-postgres.ts";
import { startPostgres } from "../postgres/start-postgres.ts";
import type { Answers, ApiDocument } from "../api-reference.ts";
import { tellAccess, tellSystem } from "./access.ts";
import { createFixedValues } from "./fixed-values.ts";
import { tellMemory, tellProjects } from "./memory.ts";
import { tellPublishing } from "./publishing.ts";
import { STORY_BEGINS, tellTo } from "./tell.ts";
import { tellNight, tellPush, tellQueue } from "./workers.ts";

/** A real request for each operation, and what it was answered; without PostgreSQL none of the queue. */
export const tellStory = async (): Promise<{ document: ApiDocument; answers: Answers }> => {
  const answers: Answers = new Map();
  const fix = createFixedValues();
  let document: ApiDocument = { paths: {} };
  await tellTo({ answers, fix }, async (teller) => {
    document = JSON.parse((await teller.server.ask("GET", "/openapi.json")).text) as ApiDocument;
    await tellMemory(teller);
    await tellProjects(teller);
    await tellAccess(teller);
    await tellPublishing(teller);
    await tellNight(teller);
    await tellPush(teller);
    await tellSystem(teller);
  });
  if (hasPostgres) {
    const postgres = await startPostgres();
    try {
      const url = await postgres.createDatabase();
      // The queue goes by the database's clock.
      const fixTimes = (text: string) =>
        fix(text).replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, STORY_BEGINS);
      await tellTo({ answers, fix: fixTimes, env: { DATABASE_URL: url } }, (teller) =>
        tellQueue(teller, url),
      );
    } finally {
      await postgres.stop();
    }
  }
  return { document, answers };
};
