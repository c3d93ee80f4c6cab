/** What an agent is told that asks a question in the night. */
export const NOBODY_ANSWERS = "nobody is there to answer; go on as you think best";
