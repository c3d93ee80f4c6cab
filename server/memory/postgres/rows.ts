import { LEARNING_COLUMNS } from "../store/learning-row.ts";

export const COLUMNS = `${LEARNING_COLUMNS}, revision`;
