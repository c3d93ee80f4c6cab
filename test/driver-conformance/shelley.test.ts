// @module-tag long

import { describeConformance } from "./scenarios.ts";

// Against the double of its HTTP API (test/shelley-api): the server is not ours, so no process belongs to a session.
describeConformance("shelley", {
  hasOwnProcess: false,
  streamsNothing: "its double asks the model for whole answers",
});
