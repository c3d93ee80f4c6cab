import { Type } from "../../schema.ts";
import { HAPPENINGS } from "../../happenings.ts";
import { section, texts } from "./fields.ts";

/** `notify`: what of this project's workers you are told. The channels themselves stand in `~/.nightshift/notify.json`. */
export const NotifySection = section({
  on: Type.Optional(
    Type.Array(Type.Union(HAPPENINGS.map((name) => Type.Literal(name))), {
      description: "What you are told of (default: everything that your own file asks for)",
    }),
  ),
  channels: texts("Names of your channels that it goes to (default: all)"),
});
