drawhitch version <&- | sed 's/ (.*//'
